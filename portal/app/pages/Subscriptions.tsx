// The plans of the five services, and which of them the customer has.
import { useState } from "preact/hooks";
import { AccountService, type Plan, type Subscription } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { SERVICES } from "../../content/services.ts";
import { useDialogInUrl } from "../use-dialog-in-url.ts";
import { CancelDialog } from "./subscriptions/CancelDialog.tsx";
import { ChangePlanDialog } from "./subscriptions/ChangePlanDialog.tsx";
import { ServicePlans } from "./subscriptions/ServicePlans.tsx";

export default function Subscriptions() {
  const plans = useQuery(AccountService.method.listPlans, {});
  const subscriptions = useQuery(AccountService.method.listSubscriptions, {});
  const dialog = useDialogInUrl();
  const [change, setChange] = useState<string>();
  const changed = (words: string): void => {
    setChange(words);
    dialog.close();
  };
  const { service, plan: planName } = dialog.query;
  const plan = plans.data?.results.find((one) => one.service === service && one.name === planName);
  const subscription = subscriptionTo(subscriptions.data?.results ?? [], service);
  return (
    <>
      <Heading
        title="Subscriptions"
        lead="You subscribe to each service by itself. Both limits of a plan are hard: a call over them is refused, and nothing is billed on top."
      />
      {change !== undefined && <Notice tone="good">{change}</Notice>}
      <Loaded query={plans} rem={90}>
        {({ results }) => (
          <Loaded query={subscriptions} rem={90}>
            {(own) =>
              SERVICES.map(({ name, title, pitch }) => (
                <ServicePlans
                  key={name}
                  service={name}
                  title={title}
                  pitch={pitch}
                  plans={results.filter((one: Plan) => one.service === name)}
                  subscription={subscriptionTo(own.results, name)}
                  onOpen={dialog.open}
                />
              ))
            }
          </Loaded>
        )}
      </Loaded>
      {dialog.name === "plan" && plan !== undefined && subscriptions.data !== undefined && (
        <ChangePlanDialog plan={plan} subscription={subscription} onChanged={changed} onClose={dialog.close} />
      )}
      {dialog.name === "cancel" && subscription !== undefined && (
        <CancelDialog subscription={subscription} onCancelled={changed} onClose={dialog.close} />
      )}
    </>
  );
}

// Cancelled ones are not among them, so there is at most one for each service.
const subscriptionTo = (subscriptions: readonly Subscription[], service: string | undefined): Subscription | undefined =>
  subscriptions.find((one) => one.service === service);
