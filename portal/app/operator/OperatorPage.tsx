// What all pages for operators have: a heading, links to each other, and a plain message for anybody who is not an operator.
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import styles from "./OperatorPage.module.css";

const PAGES = [
  ["/app/operator", "Accounts"],
  ["/app/operator/waiting", "Plan requests"],
  ["/app/operator/usage", "Usage"],
  ["/app/operator/server", "Server"],
  ["/app/operator/audit", "Audit trail"],
] as const;

/** The page. `children` are shown only to operators; for anybody else, nothing is requested. */
export function OperatorPage({ title, children }: { readonly title: string; readonly children: () => ComponentChildren }) {
  const account = useQuery(AccountService.method.getAccount, {});
  return (
    <Loaded query={account} rem={30}>
      {({ account: own }) =>
        own?.isOperator === true ? (
          <>
            <Heading title={title} />
            <Tabs />
            {children()}
          </>
        ) : (
          <>
            <Heading title="For operators" />
            <Notice tone="plain">This page is for operators of this server. Your account is not an operator's.</Notice>
          </>
        )
      }
    </Loaded>
  );
}

function Tabs() {
  const { path } = useLocation();
  // The page of one account belongs to the list of accounts.
  const tab = path.startsWith("/app/operator/accounts/") ? "/app/operator" : path;
  return (
    <nav class={styles.tabs} aria-label="For operators">
      {PAGES.map(([href, words]) => (
        <a key={href} href={href} aria-current={tab !== href ? undefined : path === href ? "page" : "true"}>
          {words}
        </a>
      ))}
    </nav>
  );
}
