// What a new customer does first: subscribe, make a key, call. Finished steps are marked.
import type { ComponentChildren } from "preact";
import { MemberRole } from "../../../../gen/quintet/account/v1/member_pb.js";
import { ButtonLink } from "../../../components/ui/Button.tsx";
import { useMay } from "../../role.ts";
import styles from "../Overview.module.css";

/** `waits`: a paid plan was requested, but is not in force yet. */
export const FirstSteps = ({
  isSubscribed,
  waits,
  hasKey,
}: {
  readonly isSubscribed: boolean;
  readonly waits: boolean;
  readonly hasKey: boolean;
}) => {
  const [maySubscribe, mayCreateKey] = [useMay(MemberRole.OWNER), useMay(MemberRole.DEVELOPER)];
  return (
    <ol class={styles.steps}>
      <Step number={1} isDone={isSubscribed} title="Subscribe">
        <p>{waits && !isSubscribed ? "Waiting for activation." : "Every service has a free plan, active right away."}</p>
        {!isSubscribed && maySubscribe && (
          <ButtonLink kind={waits ? "secondary" : "primary"} href="/app/subscriptions">
            {waits ? "See your subscriptions" : "Choose a plan"}
          </ButtonLink>
        )}
      </Step>
      <Step number={2} isDone={hasKey} title="Create a key">
        <p>One key can call all services, or only those you choose.</p>
        {!hasKey && mayCreateKey && (
          <ButtonLink kind={isSubscribed ? "primary" : "secondary"} href="/app/keys?do=make">
            Create a key
          </ButtonLink>
        )}
      </Step>
      <Step number={3} isDone={false} title="Call">
        <p>Copy the command below, or send a call from the console, which creates a key for itself.</p>
        <ButtonLink kind={isSubscribed && hasKey ? "primary" : "secondary"} href="/app/console">
          Open the console
        </ButtonLink>
      </Step>
    </ol>
  );
};

const Step = ({
  number,
  isDone,
  title,
  children,
}: {
  readonly number: number;
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <li class={styles.step} data-done={isDone || undefined}>
    <span class={styles.mark}>{isDone ? "✓ Done" : `Step ${number}`}</span>
    <h2>{title}</h2>
    {children}
  </li>
);
