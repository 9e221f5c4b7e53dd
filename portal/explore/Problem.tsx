// Why a call failed, and what to do about it.
import type { ApiProblem } from "../api/problem.ts";
import { Button, ButtonLink } from "../components/ui/Button.tsx";
import { Notice } from "../components/ui/Notice.tsx";

/** Nothing for a lost session, which has a panel of its own. */
export const Problem = ({ problem, onRetry }: { readonly problem: ApiProblem | undefined; readonly onRetry: () => void }) =>
  problem === undefined || problem.isSessionLost ? null : (
    <Notice tone="bad">
      <p>{problem.message}</p>
      {problem.reason === "SUBSCRIPTION_REQUIRED" ? (
        <ButtonLink href="/app/subscriptions">Choose a plan</ButtonLink>
      ) : (
        <Button onClick={onRetry}>Try again</Button>
      )}
    </Notice>
  );
