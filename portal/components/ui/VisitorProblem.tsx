// Why a visitor's call with the public key failed: the key is not allowed to make it, or not at the moment. Loaded when it is shown.
import type { ApiProblem } from "../../api/problem.ts";
import { faultOf } from "../../api/reason.ts";
import { visitorPath } from "../visitor-paths.ts";
import { Button, ButtonLink } from "./Button.tsx";
import { monthStart } from "./month-start.ts";
import { Notice } from "./Notice.tsx";

/** `isBusy` while the call is being repeated. */
export const VisitorProblem = ({
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
          ? `Your network has reached its limit for calls without an account. Try again ${waitText(retryAfterMs)}, or sign up for your own key.`
          : faultOf(reason) === "quota"
            ? `This month's calls without an account are used up. The count resets on ${monthStart(retryAfterMs)}. With your own key, you do not have to wait.`
            : "Sign in to see this."}
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

const waitText = (waitMs: number): string => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} minutes`;
};
