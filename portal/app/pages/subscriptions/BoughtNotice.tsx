// Says when a plan that was bought on Stripe's page is active. The user arrives here before the server has heard of the payment.
import { useEffect, useState } from "preact/hooks";
import { AccountService, type Subscription } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { Notice } from "../../../components/ui/Notice.tsx";
import { planTitle, serviceTitle } from "../../formats.ts";
import { sendsMail } from "../../server-facts.ts";

const WAIT_MS = 30_000;
const POLL_MS = 2000;

export function BoughtNotice({
  service,
  subscription,
  onClose,
}: {
  readonly service: string;
  readonly subscription: Subscription | undefined;
  readonly onClose: () => void;
}) {
  const [isLate, setLate] = useState(false);
  const isActive = subscription?.cardPayment !== undefined;
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  // The page shows what this reads.
  useQuery(AccountService.method.listSubscriptions, {}, { refetchInterval: isActive || isLate ? false : POLL_MS });
  return (
    <Notice tone={isActive ? "good" : "plain"} onClose={onClose}>
      {boughtText(service, isActive ? subscription.plan : undefined, isLate)}
    </Notice>
  );
}

/** `plan`: the active plan that is paid by card; undefined if there is none yet. */
function boughtText(service: string, plan: string | undefined, isLate: boolean): string {
  const title = serviceTitle(service);
  if (plan !== undefined) {
    return `Your ${planTitle(plan)} plan for ${title} is active.`;
  }
  if (!isLate) {
    return `Waiting for your payment for ${title} to be confirmed…`;
  }
  const next = sendsMail() ? "We will mail you when your plan is active." : "Look here again later.";
  return `Your payment for ${title} is not confirmed yet. ${next}`;
}
