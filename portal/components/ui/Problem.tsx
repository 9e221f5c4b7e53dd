// Why a call failed, and what to do about it.
import { SERVICES, type ServiceName } from "../../../src/catalogue/service-names.ts";
import { useApi } from "../../api/api.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { faultOf, isFinal, needsPlan } from "../../api/reason.ts";
import { visitorPath } from "../visitor-paths.ts";
import { Button, ButtonLink } from "./Button.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { Notice } from "./Notice.tsx";

const DAY_MS = 86_400_000;
// Months are in UTC.
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });

// A month begins on a day in UTC, whatever the reader's time zone is.
const monthStart = (waitMs: number): string => DAY.format(Math.round((Date.now() + waitMs) / DAY_MS) * DAY_MS);

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
  const { isVisitor } = useApi();
  if (problem === undefined || problem.isSessionLost) {
    return null;
  }
  if (isVisitor && isAboutKey(problem)) {
    return <VisitorProblem problem={problem} isBusy={isBusy} onRetry={onRetry} />;
  }
  const { reason } = problem;
  if (faultOf(reason) === "subscription") {
    return <Unsubscribed problem={problem} />;
  }
  return (
    <Notice tone="bad">
      <p>{messageOf(problem)}</p>
      {needsPlan(reason) && <ButtonLink href="/app/subscriptions">Choose a plan</ButtonLink>}
      {!isFinal(reason) && (
        <Button isBusy={isBusy} onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  );
};

// The call is fine, but the public key may not make it, or not now.
const isAboutKey = ({ reason }: ApiProblem): boolean => needsPlan(reason) || ["key", "rate"].includes(faultOf(reason) ?? "");

const VisitorProblem = ({
  problem: { reason, retryAfterMs = 0 },
  isBusy,
  onRetry,
}: {
  readonly problem: ApiProblem;
  readonly isBusy: boolean;
  readonly onRetry: () => void;
}) => {
  const isTooFast = faultOf(reason) === "rate";
  return (
    <Notice tone={isTooFast ? "plain" : "bad"}>
      <p>
        {isTooFast
          ? `Your network has made as many calls without signing in as it may. The next one is possible ${waitText(retryAfterMs)}; with a key of your own you need not wait.`
          : faultOf(reason) === "quota"
            ? `All calls without signing in are used up for this month. They resume on ${monthStart(retryAfterMs)}; with a key of your own you need not wait.`
            : "This cannot be seen without signing in at the moment."}
      </p>
      <ButtonLink href={visitorPath("sign-up")}>Sign up</ButtonLink> <ButtonLink href={visitorPath("sign-in")}>Sign in</ButtonLink>{" "}
      {isTooFast && (
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
        : "Your plan for this service is not active. Your subscriptions say why."}
    </p>
    <ButtonLink kind="primary" href="/app/subscriptions">
      Choose a plan
    </ButtonLink>
  </EmptyState>
);

const titleOf = (service: string): string => SERVICES[service as ServiceName]?.title ?? service;

const waitText = (waitMs: number): string => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} minutes`;
};

// The server formats numbers and days for programs.
const messageOf = ({ reason, message, retryAfterMs }: ApiProblem): string =>
  faultOf(reason) === "quota" && retryAfterMs !== undefined
    ? `You have used all of your plan's calls for this month. The count resets on ${monthStart(retryAfterMs)}; a larger plan gives you more as soon as it is active.`
    : message;
