// Warns before a change to a plan that includes fewer calls than the customer has made this month.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";
import { formatNumber, planTitle } from "../../formats.ts";
import { formatDay } from "../../usage/quota-text.ts";
import type { MonthStanding } from "../../usage/usage-report.ts";

/** What the customer should know before choosing `plan`; undefined if this month's calls fit into it. */
export function overPlanWarning(
  plan: Pick<Plan, "name" | "callsPerMonth" | "priceMinor">,
  standing: Pick<MonthStanding, "counted" | "resetsAt"> | undefined,
): string | undefined {
  if (standing?.resetsAt === undefined || standing.counted < plan.callsPerMonth) {
    return undefined;
  }
  const title = planTitle(plan.name);
  const from = plan.priceMinor === 0 ? "Calls will be refused" : `Once ${title} is active, calls will be refused`;
  const counts = `You have already made ${formatNumber(standing.counted)} calls this month, and ${title} includes ${formatNumber(plan.callsPerMonth)}.`;
  return `${counts} ${from} until ${formatDay(timestampMs(standing.resetsAt))} (UTC).`;
}
