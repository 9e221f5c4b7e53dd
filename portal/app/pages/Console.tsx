// The console: any method of the data services, called in any protocol from a form that is built from its descriptor.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AccountService, SubscriptionState } from "../../../gen/quintet/account/v1/account_pb.js";
import { MemberRole } from "../../../gen/quintet/account/v1/member_pb.js";
import { SERVICES } from "../../../src/catalogue/service-names.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import styles from "../console/Console.module.css";
import type { Contract } from "../console/contract/contract.ts";
import { loadContract } from "../console/load-contract.ts";
import { MethodConsole } from "../console/MethodConsole.tsx";
import { MethodPicker } from "../console/MethodPicker.tsx";
import { serviceToTry } from "../first-call.ts";
import { RoleNote } from "../RoleNote.tsx";

const PATH = "/app/console";

export default function Console() {
  const [contract, setContract] = useState<Contract | "failed">();
  const account = useQuery(AccountService.method.getAccount, {}).data?.account?.id;
  const subscriptions = useQuery(AccountService.method.listSubscriptions, {});
  // Only the method to begin with depends on the subscriptions, so the console opens without them too.
  const isReady = account !== undefined && (subscriptions.data ?? subscriptions.problem) !== undefined;
  const active = (subscriptions.data?.results ?? []).filter(({ state }) => state === SubscriptionState.ACTIVE);
  // A plan that is subscribed to on this page must not change the method that is shown.
  const initial = useRef<string>(undefined);
  if (isReady) {
    initial.current ??=
      SERVICES[
        serviceToTry(
          [],
          active.map(({ service }) => service),
        )
      ].firstCall.split("?")[0];
  }
  const load = (): void => {
    setContract(undefined);
    loadContract().then(setContract, () => setContract("failed"));
  };
  useEffect(load, []);
  return (
    <>
      <Heading title="Console" lead="Call any method, and see the request and response as they go over the wire." />
      <RoleNote needs={MemberRole.DEVELOPER} what="create the console's key. You can still send calls with a key of your own" />
      {(contract === undefined || !isReady) && <Skeleton rem={30} />}
      {contract === "failed" && (
        <Notice tone="bad">
          <p>The list of methods could not be loaded.</p>
          <Button onClick={load}>Try again</Button>
        </Notice>
      )}
      {contract !== undefined && contract !== "failed" && isReady && (
        <Chosen account={account} contract={contract} firstPath={initial.current} />
      )}
    </>
  );
}

function Chosen({
  account,
  contract,
  firstPath,
}: {
  readonly account: string;
  readonly contract: Contract;
  /** Where the method is called over REST that is shown if the URL names none. */
  readonly firstPath: string | undefined;
}) {
  const { path, url, route } = useLocation();
  const [visit, setVisit] = useState(0);
  const visited = useCallback(() => setVisit((before) => before + 1), []);
  // The form changes the URL without the router, so two different visits may look the same to the router: visits are counted instead. A
  // link changes the URL only after its own handlers have run, so its visit is counted in a timeout.
  useEffect(() => {
    addEventListener("popstate", visited);
    return () => removeEventListener("popstate", visited);
  }, [visited]);
  const name = path.slice(PATH.length + 1);
  const method = name === "" ? contract.methods.find(({ restPath }) => restPath === firstPath) : contract.find(name);
  return (
    <>
      <div class={styles.chooser}>
        <MethodPicker methods={contract.methods} method={method} onChoose={(slug) => route(`${PATH}/${slug}`)} />
        {method !== undefined && (
          <p class={styles.summary}>
            {method.summary}. <a href={`/reference/${method.slug}`}>Reference</a>
          </p>
        )}
      </div>
      {method === undefined ? (
        <Notice tone="bad">There is no method {name}. Choose one from the list.</Notice>
      ) : (
        <MethodConsole
          key={`${visit} ${url}`}
          account={account}
          contract={contract}
          method={method}
          onOpen={() => setTimeout(visited)}
        />
      )}
    </>
  );
}
