// Why a call failed, and what to do about it.
import type { ApiProblem } from "../../api/problem.ts";
import { Button, ButtonLink } from "./Button.tsx";
import { Notice } from "./Notice.tsx";

// What only another plan helps against.
const PLAN_REASONS: ReadonlySet<string> = new Set(["SUBSCRIPTION_REQUIRED", "PLAN_LIMIT", "QUOTA_EXCEEDED"]);
// The same call would fail in the same way.
const FINAL_REASONS: ReadonlySet<string> = new Set([...PLAN_REASONS, "INVALID_ARGUMENT", "NOT_FOUND"]);

const DAY_MS = 86_400_000;
// Months are those of UTC.
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });

// A month begins with a day, whatever the reader's clock makes of it.
const monthBegins = (waitMs: number): string => DAY.format(Math.round((Date.now() + waitMs) / DAY_MS) * DAY_MS);

/** Nothing for a lost session, which has a panel of its own. `isBusy` while the call is made once more. */
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
  const { reason = "" } = problem;
  return (
    <Notice tone="bad">
      <p>{messageOf(problem)}</p>
      {PLAN_REASONS.has(reason) && <ButtonLink href="/app/subscriptions">Choose a plan</ButtonLink>}
      {!FINAL_REASONS.has(reason) && (
        <Button isBusy={isBusy} onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  );
};

// The server writes numbers and days as programs read them.
const messageOf = ({ reason, message, retryAfterMs }: ApiProblem): string =>
  reason === "QUOTA_EXCEEDED" && retryAfterMs !== undefined
    ? `The calls of your plan are used up for this month. They are counted anew from ${monthBegins(retryAfterMs)}; a larger plan has more at once.`
    : message;
