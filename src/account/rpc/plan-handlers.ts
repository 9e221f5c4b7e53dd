// The method of AccountService that lists plans, which anybody may call.
import type { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import type { Plans } from "../../catalogue/plans.ts";
import { SERVICE_NAMES } from "../../catalogue/service-names.ts";
import type { Handlers } from "./handlers.ts";
import { planMessage } from "./messages.ts";

export function createPlanHandlers(plans: Plans): Pick<Handlers<typeof AccountService, unknown>, "listPlans"> {
  return {
    async listPlans({ service }) {
      const results = SERVICE_NAMES.filter((name) => service === "" || service === name).flatMap((name) => plans.of(name));
      return { count: results.length, results: results.map(planMessage) };
    },
  };
}
