// An overview of the customer's account: what to do first, the month of each subscription, and a call to copy.
import { AccountService, KeyState, SubscriptionState } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { CopyBlock } from "../../components/ui/CopyBlock.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { curlOf, serviceToTry } from "../first-call.ts";
import { serviceTitle } from "../formats.ts";
import styles from "./Overview.module.css";
import { FirstSteps } from "./overview/FirstSteps.tsx";
import { MonthTable } from "./overview/MonthTable.tsx";

// Often enough that readers see the calls that they are making.
const CALLS_SHOWN = { refetchInterval: 15_000 };

export default function Overview() {
  const subscriptions = useQuery(AccountService.method.listSubscriptions, {});
  const keys = useQuery(AccountService.method.listKeys, {}, CALLS_SHOWN);
  const usage = useQuery(AccountService.method.getUsage, { limit: 1 }, CALLS_SHOWN);
  return (
    <>
      <Heading title="Overview" />
      <Loaded query={subscriptions} rem={26}>
        {({ results }) => (
          <Loaded query={keys} rem={26}>
            {({ results: allKeys }) => {
              const active = results.filter(({ state }) => state === SubscriptionState.ACTIVE).map(({ service }) => service);
              const hasKey = allKeys.some(({ state }) => state === KeyState.ACTIVE);
              const hasCalled = allKeys.some(({ lastUsedAt }) => lastUsedAt !== undefined);
              const service = serviceToTry([], active);
              return (
                <>
                  {!(active.length > 0 && hasKey && hasCalled) && (
                    <FirstSteps
                      waits={results.length > active.length}
                      isSubscribed={active.length > 0}
                      hasKey={hasKey}
                      hasCalled={hasCalled}
                    />
                  )}
                  {active.length > 0 && (
                    <section class={styles.part}>
                      <h2>This month</h2>
                      <Loaded query={usage} rem={4 + 3 * active.length}>
                        {({ standings }) => <MonthTable standings={standings} />}
                      </Loaded>
                    </section>
                  )}
                  <section class={styles.part}>
                    <h2>Make a call</h2>
                    <p>Try {serviceTitle(service)}, with your key in the variable KEY:</p>
                    <CopyBlock code={curlOf(service, "$KEY")} label="the command" language="bash" />
                    <p>
                      The <a href="/reference">reference</a> has every method in other protocols and languages.
                    </p>
                  </section>
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}
