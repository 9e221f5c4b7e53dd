// The bar above every page of Explore: says whose key the page calls with, and shows the page's calls as commands.

import type { PublicKey } from "../api/public-key.ts";
import { visitorPath } from "../components/visitor-paths.ts";
import styles from "./PageBar.module.css";
import type { PastCalls } from "./past-calls.ts";
import { ShownCalls } from "./ShownCalls.tsx";

const WHOLE = new Intl.NumberFormat();

/** `publicKey` is what the page calls with while nobody is signed in, or for a member without a plan. */
export const PageBar = ({
  calls,
  publicKey,
  isMember,
}: {
  readonly calls: PastCalls;
  readonly publicKey: PublicKey | undefined;
  readonly isMember: boolean;
}) => (
  <div class={styles.bar}>
    {publicKey === undefined ? (
      <p>Live data, using your account: this page's calls count against your plans.</p>
    ) : (
      <p>
        Live data, with this server's public key: up to {WHOLE.format(publicKey.callsPerMinute)} calls per minute.{" "}
        {isMember ? (
          <>
            <a href="/app/subscriptions">Subscribe</a> to call with your own account.
          </>
        ) : (
          <>
            <a href={visitorPath("sign-up")}>Sign up</a> for your own key.
          </>
        )}
      </p>
    )}
    <ShownCalls calls={calls} secret={publicKey?.secret} />
  </div>
);
