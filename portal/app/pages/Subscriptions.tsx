// The plans of all services, and the customer's subscriptions to them.
import { useState } from "preact/hooks";
import { AccountService, type Subscription } from "../../../gen/quintet/account/v1/account_pb.js";
import { BillingService } from "../../../gen/quintet/account/v1/billing_pb.js";
import { MemberRole } from "../../../gen/quintet/account/v1/member_pb.js";
import { type Plan, StatusService } from "../../../gen/quintet/account/v1/status_pb.js";
import { UsageDimension, UsageMeasure } from "../../../gen/quintet/account/v1/usage_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { SERVICES } from "../../content/services.ts";
import { DoneNotice } from "../DoneNotice.tsx";
import { RoleNote } from "../RoleNote.tsx";
import { useHasRole } from "../role.ts";
import { takesCards } from "../server-facts.ts";
import { useUsage } from "../usage/usage-report.ts";
import { useDialogInUrl } from "../use-dialog-in-url.ts";
import { type Advice, adviceOf } from "./subscriptions/advice.ts";
import { BoughtNotice } from "./subscriptions/BoughtNotice.tsx";
import { CancelDialog } from "./subscriptions/CancelDialog.tsx";
import { ChangePlanDialog } from "./subscriptions/ChangePlanDialog.tsx";
import { ServiceCard } from "./subscriptions/ServiceCard.tsx";
import { standingOf } from "./subscriptions/standing.ts";
import { WithdrawDialog } from "./subscriptions/WithdrawDialog.tsx";

const REFUSALS_BY_REASON = {
  measure: UsageMeasure.REFUSALS,
  groupBy: [UsageDimension.SERVICE, UsageDimension.OUTCOME],
  limit: 1000,
};

export default function Subscriptions() {
  const plans = useQuery(StatusService.method.listPlans, {});
  const subscriptions = useQuery(AccountService.method.listSubscriptions, {});
  const usage = useUsage({ limit: 1 });
  const refusals = useUsage(REFUSALS_BY_REASON);
  // Advice would push down whatever is below it, so the plans wait for the data that it needs, unless that data cannot be read.
  const hasAdvice = [usage, refusals].every(({ data, problem }) => data !== undefined || problem !== undefined);
  const adviceOn = (service: string, all: readonly Plan[]): Advice | undefined =>
    // Advice from partial data would be unreliable.
    usage.data === undefined || refusals.data === undefined || refusals.data.hasMore
      ? undefined
      : adviceOf({
          plans: plansOf(all, service),
          standing: usage.data.standings.find((one) => one.service === service),
          refusals: refusals.data.results.filter((row) => row.service === service),
        });
  const opened = useDialogInUrl();
  const mayChange = useHasRole(MemberRole.OWNER);
  const dialog = { ...opened, name: mayChange ? opened.name : undefined };
  const [change, setChange] = useState<string>();
  const changed = (message: string): void => {
    setChange(message);
    dialog.close();
  };
  const billing = useMutation(BillingService.method.createPortalSession);
  const manage = async (): Promise<void> => {
    const page = await billing.mutate({});
    if (page !== undefined) {
      location.assign(page.url);
    }
  };
  const { service, bought } = dialog.query;
  const offered = plansOf(plans.data?.results ?? [], service ?? "");
  const subscription = subscriptionTo(subscriptions.data?.results ?? [], service);
  return (
    <>
      <Heading
        title="Subscriptions"
        lead="You subscribe to each service separately. Calls over a plan's limits are refused, so you never pay extra."
      >
        {takesCards() && mayChange && (
          <Button isBusy={billing.isPending} onClick={() => void manage()}>
            Cards and invoices
          </Button>
        )}
      </Heading>
      {billing.problem !== undefined && <Notice tone="bad">{billing.problem.message}</Notice>}
      {bought !== undefined && (
        <BoughtNotice
          service={bought}
          subscription={subscriptionTo(subscriptions.data?.results ?? [], bought)}
          onClose={dialog.closeHere}
        />
      )}
      <RoleNote needs={MemberRole.OWNER} what="subscribe to services or change plans" />
      <DoneNotice message={change} onClose={() => setChange(undefined)} />
      <Loaded query={plans} rem={60}>
        {({ results }) => (
          <Loaded query={subscriptions} rem={60}>
            {(own) =>
              hasAdvice ? (
                SERVICES.map(({ name, title, summary }) => (
                  <ServiceCard
                    key={name}
                    service={name}
                    title={title}
                    summary={summary}
                    plans={plansOf(results, name)}
                    advice={adviceOn(name, results)}
                    subscription={subscriptionTo(own.results, name)}
                    onOpen={mayChange ? dialog.open : undefined}
                  />
                ))
              ) : (
                <Skeleton rem={60} />
              )
            }
          </Loaded>
        )}
      </Loaded>
      {dialog.name === "plan" && service !== undefined && offered.length > 0 && subscriptions.data !== undefined && (
        <ChangePlanDialog
          service={service}
          plans={offered}
          wanted={dialog.query.plan}
          subscription={subscription}
          month={usage.data?.standings.find((one) => one.service === service)}
          onChanged={changed}
          onClose={dialog.close}
        />
      )}
      {dialog.name === "withdraw" && subscription !== undefined && standingOf(subscription).waiting !== undefined && (
        <WithdrawDialog subscription={subscription} onWithdrawn={changed} onClose={dialog.close} />
      )}
      {dialog.name === "cancel" && subscription !== undefined && (
        <CancelDialog subscription={subscription} onCancelled={changed} onClose={dialog.close} />
      )}
    </>
  );
}

const plansOf = (plans: readonly Plan[], service: string): readonly Plan[] => plans.filter((one) => one.service === service);

// Cancelled subscriptions are not listed, so there is at most one for each service.
const subscriptionTo = (subscriptions: readonly Subscription[], service: string | undefined): Subscription | undefined =>
  subscriptions.find((one) => one.service === service);
