// What a new customer does first: subscribe, create a key and make a call, with an example to try. Finished steps are marked.
import type { ComponentChildren } from "preact";
import { MemberRole } from "../../../../gen/quintet/account/v1/member_pb.js";
import { ButtonLink } from "../../../components/ui/Button.tsx";
import { CopyBlock } from "../../../components/ui/CopyBlock.tsx";
import { curlOf, serviceToTry } from "../../first-call.ts";
import { serviceTitle } from "../../formats.ts";
import { useHasRole } from "../../role.ts";
import overviewStyles from "../Overview.module.css";
import styles from "./FirstSteps.module.css";

interface FirstStepsProps {
  /** The services that have an active subscription. */
  readonly active: readonly string[];
  /** A paid plan was requested, but is not active yet. */
  readonly isWaiting: boolean;
  readonly hasKey: boolean;
}

/** The steps, and a call to try. */
export function FirstSteps({ active, isWaiting, hasKey }: FirstStepsProps) {
  const [maySubscribe, mayCreateKey] = [useHasRole(MemberRole.OWNER), useHasRole(MemberRole.DEVELOPER)];
  const isSubscribed = active.length > 0;
  return (
    <>
      <ol class={styles.steps}>
        <Step number={1} isDone={isSubscribed} title="Subscribe">
          <p>
            {isWaiting && !isSubscribed ? "Waiting for activation." : "Every service has a free plan, which is active right away."}
          </p>
          {!isSubscribed && maySubscribe && (
            <ButtonLink kind={isWaiting ? "secondary" : "primary"} href="/app/subscriptions">
              {isWaiting ? "View subscriptions" : "Choose a plan"}
            </ButtonLink>
          )}
        </Step>
        <Step number={2} isDone={hasKey} title="Create a key">
          <p>A key can call all services, or only the services you choose.</p>
          {!hasKey && mayCreateKey && (
            <ButtonLink kind={isSubscribed ? "primary" : "secondary"} href="/app/keys?do=make">
              Create key
            </ButtonLink>
          )}
        </Step>
        <Step number={3} isDone={false} title="Call the API">
          <p>Copy the command below, or send a call from the console, which creates its own key.</p>
          <ButtonLink kind={isSubscribed && hasKey ? "primary" : "secondary"} href="/app/console">
            Open the console
          </ButtonLink>
        </Step>
      </ol>
      <CallToTry active={active} />
    </>
  );
}

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

function CallToTry({ active }: { readonly active: readonly string[] }) {
  const service = serviceToTry([], active);
  return (
    <section class={overviewStyles.part}>
      <h2>Make a call</h2>
      <p>Try {serviceTitle(service)}, with your key in the variable KEY:</p>
      <CopyBlock code={curlOf(service, "$KEY")} label="the command" language="bash" />
      <p>
        The <a href="/reference">reference</a> has every method in other protocols and languages.
      </p>
    </section>
  );
}
