// What a new customer does first: subscribe, make a key, call. What is done is marked so.
import type { ComponentChildren } from "preact";
import { ButtonLink } from "../../../components/ui/Button.tsx";
import styles from "../Overview.module.css";

/** `waits`: a paid plan was asked for, and is not in force yet. */
export const FirstSteps = ({
  isSubscribed,
  waits,
  hasKey,
  hasCalled,
}: {
  readonly isSubscribed: boolean;
  readonly waits: boolean;
  readonly hasKey: boolean;
  readonly hasCalled: boolean;
}) => (
  <ol class={styles.steps}>
    <Step number={1} isDone={isSubscribed} title="Subscribe">
      <p>
        {waits && !isSubscribed
          ? "Your plan waits until the operator activates it."
          : "Each service has a free plan, in force at once."}
      </p>
      {!isSubscribed && (
        <ButtonLink kind="primary" href="/app/subscriptions">
          Choose a plan
        </ButtonLink>
      )}
    </Step>
    <Step number={2} isDone={hasKey} title="Make a key">
      <p>One key calls all services, or those that you choose.</p>
      {!hasKey && (
        <ButtonLink kind={isSubscribed ? "primary" : "secondary"} href="/app/keys?do=make">
          Make a key
        </ButtonLink>
      )}
    </Step>
    <Step number={3} isDone={hasCalled} title="Call">
      <p>Copy the command below. That a key was used shows here within a minute.</p>
    </Step>
  </ol>
);

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
