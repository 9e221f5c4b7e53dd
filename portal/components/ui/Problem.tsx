// Why a call failed, and what to do about it.
import { SERVICES, type ServiceName } from "../../../src/catalogue/service-names.ts";
import { useApi } from "../../api/api.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { faultOf, isFinal, needsPlan } from "../../api/reason.ts";
import { Button, ButtonLink } from "./Button.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { monthStart } from "./month-start.ts";
import { Notice } from "./Notice.tsx";
import { useLoaded } from "./use-loaded.ts";

const loadVisitorProblem = async () => (await import("./VisitorProblem.tsx")).VisitorProblem;

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
  const isPublicKeyProblem = isVisitor && problem !== undefined && isAboutKey(problem);
  const VisitorProblem = useLoaded(loadVisitorProblem, isPublicKeyProblem);
  if (problem === undefined || problem.isSessionLost) {
    return null;
  }
  if (isPublicKeyProblem) {
    return VisitorProblem === undefined ? null : <VisitorProblem problem={problem} isBusy={isBusy} onRetry={onRetry} />;
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

// The call is fine, but the public key is not allowed to make it, or not at the moment.
const isAboutKey = ({ reason }: ApiProblem): boolean => needsPlan(reason) || ["key", "rate"].includes(faultOf(reason) ?? "");

const Unsubscribed = ({ problem: { service, plan } }: { readonly problem: ApiProblem }) => (
  <EmptyState title={`Subscribe to ${service === undefined ? "this service" : titleOf(service)} to see live data`}>
    <p>
      This page calls the API using your account.{" "}
      {plan === undefined
        ? "You have no plan for this service yet. Free plans are active right away."
        : "Your plan for this service is not active. See your subscriptions for the reason."}
    </p>
    <ButtonLink kind="primary" href="/app/subscriptions">
      Choose a plan
    </ButtonLink>
  </EmptyState>
);

const titleOf = (service: string): string => SERVICES[service as ServiceName]?.title ?? service;

// The server formats numbers and days for programs.
const messageOf = ({ reason, message, retryAfterMs }: ApiProblem): string =>
  faultOf(reason) === "quota" && retryAfterMs !== undefined
    ? `You have used all of your plan's calls for this month. The count resets on ${monthStart(retryAfterMs)}. A larger plan gives you more calls as soon as it is active.`
    : message;
