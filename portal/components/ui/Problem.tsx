// Why a call failed, and what to do about it.
import { SERVICES, type ServiceName } from "../../../src/catalogue/service-names.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { faultOf, isFinal } from "../../api/reason.ts";
import { Button, ButtonLink } from "./Button.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { Notice } from "./Notice.tsx";

// The account lacks something; the call itself is correct.
const UNSUBSCRIBED = "SUBSCRIPTION_REQUIRED";

const DAY_MS = 86_400_000;
// Months are those of UTC.
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });

// A month begins on a day in UTC, whatever the reader's time zone is.
const monthBegins = (waitMs: number): string => DAY.format(Math.round((Date.now() + waitMs) / DAY_MS) * DAY_MS);

/** Shows nothing for a lost session, which has its own panel. `isBusy` while the call is being repeated. */
export const Problem = ({
  problem,
  isBusy = false,
  onRetry,
}: {
  readonly problem: ApiProblem | undefined;
  readonly isBusy?: boolean;
  readonly onRetry: () => void;
}) => {
  if (problem === undefined || problem.isSessionLost) {
    return null;
  }
  const { reason } = problem;
  if (reason === UNSUBSCRIBED) {
    return <Unsubscribed problem={problem} />;
  }
  return (
    <Notice tone="bad">
      <p>{messageOf(problem)}</p>
      {faultOf(reason) === "plan" && <ButtonLink href="/app/subscriptions">Choose a plan</ButtonLink>}
      {!isFinal(reason) && (
        <Button isBusy={isBusy} onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  );
};

const Unsubscribed = ({ problem: { service, plan } }: { readonly problem: ApiProblem }) => (
  <EmptyState title={`Subscribe to ${service === undefined ? "this service" : titleOf(service)} to see it live`}>
    <p>
      This page makes calls with your account.{" "}
      {plan === undefined
        ? "You have no active plan for this service yet. Free plans are active right away."
        : `Your plan ${plan} for this service is not active. Your subscriptions say why.`}
    </p>
    <ButtonLink kind="primary" href="/app/subscriptions">
      Choose a plan
    </ButtonLink>
  </EmptyState>
);

const titleOf = (service: string): string => SERVICES[service as ServiceName]?.title ?? service;

// The server formats numbers and days for programs.
const messageOf = ({ reason, message, retryAfterMs }: ApiProblem): string =>
  reason === "QUOTA_EXCEEDED" && retryAfterMs !== undefined
    ? `You have used all of your plan's calls for this month. The count resets on ${monthBegins(retryAfterMs)}; a larger plan gives you more right away.`
    : message;
