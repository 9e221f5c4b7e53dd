// An overview of the customer's account: what to do first and, once there have been calls, a dashboard.
import { useState } from "preact/hooks";
import { AccountService, type Subscription, SubscriptionState } from "../../../gen/quintet/account/v1/account_pb.js";
import { type Key, KeyService, KeyState } from "../../../gen/quintet/account/v1/key_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { useLoaded } from "../../components/ui/use-loaded.ts";
import { takesCards } from "../server-facts.ts";
import styles from "./Overview.module.css";
import { Alerts } from "./overview/Alerts.tsx";
import { Dashboard, SCREEN_REM } from "./overview/Dashboard.tsx";
import { monthAlerts, requestedPlans } from "./overview/month-alerts.ts";

// Reads often enough that users see the calls they are making.
const KEYS_OPTIONS = { refetchInterval: 15_000 };
// How high the first steps are once they have loaded.
const FIRST_STEPS_REM = 32;

// Loaded separately: only customers who have made no calls yet need the first steps.
const loadFirstSteps = async () => (await import("./overview/FirstSteps.tsx")).FirstSteps;

export default function Overview() {
  const subscriptions = useQuery(AccountService.method.listSubscriptions, {});
  const keys = useQuery(KeyService.method.listKeys, {}, KEYS_OPTIONS);
  // A space reserves the line until the page knows which text to show.
  const lead =
    keys.data === undefined
      ? "\u00a0"
      : keys.data.results.some(({ lastUsedAt }) => lastUsedAt !== undefined)
        ? "Updated every few seconds. Times are in UTC."
        : "Three steps to your first call.";
  return (
    <>
      <Heading title="Overview" lead={lead} />
      <Loaded query={subscriptions} rem={SCREEN_REM}>
        {({ results }) => (
          <Loaded query={keys} rem={SCREEN_REM}>
            {({ results: allKeys }) => <Content subscriptions={results} keys={allKeys} />}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

function Content({ subscriptions, keys }: { readonly subscriptions: readonly Subscription[]; readonly keys: readonly Key[] }) {
  const active = subscriptions.filter(({ state }) => state === SubscriptionState.ACTIVE).map(({ service }) => service);
  const hasKey = keys.some(({ state }) => state === KeyState.ACTIVE);
  const hasCalled = keys.some(({ lastUsedAt }) => lastUsedAt !== undefined);
  // While a new key is shown, its first call must not replace the page.
  const [isShowingKey, setShowingKey] = useState(false);
  const isNew = !hasCalled || isShowingKey;
  const FirstSteps = useLoaded(loadFirstSteps, isNew);
  if (!isNew) {
    return (
      <>
        {active.length === 0 && (
          <Missing
            message="You have no active subscription, so calls are refused."
            href="/app/subscriptions"
            action="Choose a plan"
          />
        )}
        {!hasKey && (
          <Missing message="You have no active key, so calls are refused." href="/app/keys?do=make" action="Create key" />
        )}
        <Dashboard subscriptions={subscriptions} />
      </>
    );
  }
  const requested = requestedPlans(subscriptions);
  return (
    <>
      <Alerts alerts={monthAlerts({ standings: [], plans: [], days: [], requested, nowMs: 0, takesCards: takesCards() })} />
      {FirstSteps === undefined ? (
        <Skeleton rem={FIRST_STEPS_REM} />
      ) : (
        <FirstSteps
          isWaiting={subscriptions.length > active.length}
          active={active}
          hasKey={hasKey}
          hasCalled={hasCalled}
          onShowKey={setShowingKey}
        />
      )}
    </>
  );
}

const Missing = ({ message, href, action }: { readonly message: string; readonly href: string; readonly action: string }) => (
  <Notice tone="bad">
    <div class={styles.missing}>
      {message}
      <ButtonLink kind="primary" href={href}>
        {action}
      </ButtonLink>
    </div>
  </Notice>
);
