// Subscribes to a service's free plan where a call has been refused for want of a plan.
import { useState } from "preact/hooks";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { MemberRole } from "../../gen/quintet/account/v1/member_pb.js";
import { type Plan, StatusService } from "../../gen/quintet/account/v1/status_pb.js";
import { UsageService } from "../../gen/quintet/account/v1/usage_pb.js";
import { useMutation } from "../api/use-mutation.ts";
import { useQuery } from "../api/use-query.ts";
import { Button } from "../components/ui/Button.tsx";
import { planTitle, serviceTitle } from "./formats.ts";
import { useHasRole } from "./role.ts";

const { listSubscriptions, setSubscription } = AccountService.method;

/** Shows nothing if the service has no free plan, if the account already has a subscription, or if the role forbids it. */
export function SubscribeButton({ service }: { readonly service: string }) {
  const plans = useQuery(StatusService.method.listPlans, {});
  const subscriptions = useQuery(listSubscriptions, {});
  const { mutate, isPending, problem } = useMutation(setSubscription, [listSubscriptions, UsageService.method.getUsage]);
  const maySubscribe = useHasRole(MemberRole.OWNER);
  const [joined, setJoined] = useState<string>();
  if (joined !== undefined) {
    return <p role="status">You're on the {planTitle(joined)} plan. Send the call again.</p>;
  }
  const free = plans.data?.results.find((plan) => plan.service === service && plan.priceMinor === 0);
  const hasNone = subscriptions.data?.results.every((one) => one.service !== service) === true;
  if (free === undefined || !hasNone || !maySubscribe) {
    return null;
  }
  const subscribe = async ({ name }: Plan): Promise<void> => {
    if ((await mutate({ service, plan: name })) !== undefined) {
      setJoined(name);
    }
  };
  return (
    <>
      <Button kind="primary" isBusy={isPending} onClick={() => void subscribe(free)}>
        Subscribe to {serviceTitle(service)} (free)
      </Button>
      {problem !== undefined && <p>{problem.message}</p>}
    </>
  );
}
