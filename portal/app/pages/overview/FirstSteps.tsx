// What a new customer does first: subscribe, create a key and make a call, with an example to try. Finished steps are marked.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AccountService } from "../../../../gen/quintet/account/v1/account_pb.js";
import { type Key, KeyService } from "../../../../gen/quintet/account/v1/key_pb.js";
import { MemberRole } from "../../../../gen/quintet/account/v1/member_pb.js";
import type { ServiceName } from "../../../../src/catalogue/service-names.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Button, ButtonLink } from "../../../components/ui/Button.tsx";
import { CopyBlock } from "../../../components/ui/CopyBlock.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { SERVICES } from "../../../content/services.ts";
import { curlOf, serviceToTry } from "../../first-call.ts";
import { serviceTitle } from "../../formats.ts";
import { generateRequestId } from "../../request-id.ts";
import { useHasRole } from "../../role.ts";
import { type IssuedKey, IssuedKeyDialog } from "../keys/IssuedKeyDialog.tsx";
import { UnseenKeyDialog } from "../keys/UnseenKeyDialog.tsx";
import overviewStyles from "../Overview.module.css";
import styles from "./FirstSteps.module.css";

const { setSubscription, listSubscriptions } = AccountService.method;
const { createKey, listKeys } = KeyService.method;

interface FirstStepsProps {
  /** The services that have an active subscription. */
  readonly active: readonly string[];
  /** A paid plan was requested, but is not active yet. */
  readonly isWaiting: boolean;
  readonly hasKey: boolean;
  readonly hasCalled: boolean;
  /** Called when a new key is shown, and when it is no longer shown. */
  readonly onShowKey: (isShown: boolean) => void;
}

/** The steps, and a call to try. */
export function FirstSteps({ active, isWaiting, hasKey, hasCalled, onShowKey }: FirstStepsProps) {
  const [maySubscribe, mayCreateKey] = [useHasRole(MemberRole.OWNER), useHasRole(MemberRole.DEVELOPER)];
  const isSubscribed = active.length > 0;
  return (
    <>
      <GetKey active={active} isOffered={maySubscribe && !isWaiting && !hasKey && !hasCalled} onShowKey={onShowKey} />
      <ol class={styles.steps}>
        <Step number={1} isDone={isSubscribed} title="Subscribe">
          <p>
            {isWaiting && !isSubscribed ? "Waiting for activation." : "Every service has a free plan, which is active right away."}
          </p>
          {!isSubscribed && maySubscribe && (
            <ButtonLink href="/app/subscriptions">{isWaiting ? "View subscriptions" : "Choose a plan"}</ButtonLink>
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

const NEW_MS = 600_000;

// Subscribes to a service's free plan, creates the first key, and shows it with a call: one button instead of the three steps. Whoever has
// just signed up from the page of a service (`?service=radio`) needs no button either.
function GetKey({ active, isOffered, onShowKey }: Pick<FirstStepsProps, "active" | "onShowKey"> & { readonly isOffered: boolean }) {
  const subscription = useMutation(setSubscription, [listSubscriptions]);
  const creation = useMutation(createKey, [listKeys]);
  const [idempotencyKey] = useState(generateRequestId);
  const [issued, setIssued] = useState<IssuedKey>();
  const [unseen, setUnseen] = useState<Key>();
  const problem = subscription.problem ?? creation.problem;
  const [chosen, setChosen] = useState<ServiceName>();
  const start = async (service: ServiceName): Promise<void> => {
    setChosen(service);
    if (!active.includes(service) && (await subscription.mutate({ service, plan: "free" })) === undefined) {
      return;
    }
    const created = await creation.mutate({ name: "First key", idempotencyKey });
    if (created?.key !== undefined) {
      onShowKey(true);
      if (created.secret === "") {
        setUnseen(created.key);
      } else {
        setIssued({ key: created.key, secret: created.secret });
      }
    }
  };
  const { query } = useLocation();
  const { data: account } = useQuery(AccountService.method.getAccount, {});
  const createdAt = account?.account?.createdAt;
  const mayStart = isOffered && createdAt !== undefined && Date.now() - Number(createdAt.seconds) * 1000 < NEW_MS;
  const started = useRef(false);
  useEffect(() => {
    const asked = SERVICES.find(({ name }) => name === query.service);
    if (mayStart && !started.current && asked !== undefined) {
      started.current = true;
      void start(asked.name);
    }
  });
  const close = (): void => {
    setIssued(undefined);
    setUnseen(undefined);
    onShowKey(false);
  };
  if (unseen !== undefined) {
    return <UnseenKeyDialog unseen={unseen} onClose={close} />;
  }
  if (issued !== undefined) {
    return <IssuedKeyDialog issued={issued} service={chosen} onClose={close} />;
  }
  return isOffered ? (
    <section class={overviewStyles.part}>
      <h2>Get your first key</h2>
      <p>Choose a service. You get its free plan and a key, with a command to try.</p>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p class={styles.services}>
        {SERVICES.map(({ name, title }) => (
          <Button
            key={name}
            label={`Get a key: ${title}`}
            isBusy={subscription.isPending || creation.isPending}
            onClick={() => void start(name)}
          >
            {title}
          </Button>
        ))}
      </p>
    </section>
  ) : null;
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
