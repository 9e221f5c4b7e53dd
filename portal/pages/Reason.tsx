// A page for each error reason, and the list of them.

import { ERROR_DOMAIN } from "../../src/problem/problem.ts";
import { JsonBlock } from "../components/CodeBlock.tsx";
import { DataTable } from "../components/DataTable.tsx";
import { Html } from "../components/Html.tsx";
import { Identifier } from "../components/Identifier.tsx";
import prose from "../components/Prose.module.css";
import { TwoColumns } from "../components/TwoColumns.tsx";
import { commentHtml } from "../content/guides.ts";
import { REASON_PAGES, type ReasonPage } from "../content/reasons.ts";
import styles from "./Reason.module.css";

const statuses = [...new Set(REASON_PAGES.map(({ httpStatus }) => httpStatus))].toSorted((a, b) => a - b);

const groups = statuses.map((status) => ({
  title: `HTTP ${status}`,
  links: REASON_PAGES.filter(({ httpStatus }) => httpStatus === status).map(({ path, reason }) => ({ href: path, label: reason })),
}));

export function ReasonDetails({ page }: { readonly page: ReasonPage }) {
  const { path, reason, httpStatus, code, isCounted, hasRetryDelay, meaning, whatToDo, example } = page;
  const facts = [
    ["REST", `HTTP ${httpStatus}`],
    ["gRPC and Connect", <Identifier key="code" name={code} />],
    ["Counts against the monthly quota", isCounted ? "Yes, if the call was admitted" : "No"],
    ["When to try again", hasRetryDelay ? "After the delay in Retry-After or google.rpc.RetryInfo" : "Not specified"],
  ] as const;
  return (
    <TwoColumns label="Errors" groups={groups} path={path}>
      <h1 class={styles.reason}>
        <Identifier name={reason} />
      </h1>
      <div class={prose.prose}>
        <Html html={commentHtml(meaning)} />
        <h2 id="what-to-do">What to do</h2>
        <Html html={commentHtml(whatToDo)} />
        <h2 id="facts">In each protocol</h2>
        <dl class={styles.facts}>
          {facts.map(([term, description]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
        <p>
          RPC errors carry <code>google.rpc.ErrorInfo</code> with this reason and the domain <code>{ERROR_DOMAIN}</code>. Every
          error has a request ID: quote it when you ask for help.
        </p>
        {example === undefined ? null : (
          <>
            <h2 id="example">Over REST</h2>
            <JsonBlock value={example} />
          </>
        )}
      </div>
    </TwoColumns>
  );
}

export const ReasonIndex = () => (
  <TwoColumns label="Errors" groups={groups} path="/errors">
    <h1>Errors</h1>
    <p>Every error has exactly one of these reasons, the same in all four protocols.</p>
    <div class={`${prose.prose} ${styles.index}`}>
      <DataTable
        label="Reasons"
        headings={["Reason", "HTTP", "RPC code", "Meaning"]}
        rows={REASON_PAGES.map(({ path, reason, httpStatus, code, meaning }) => [
          <a key={reason} href={path}>
            <code>
              <Identifier name={reason} />
            </code>
          </a>,
          httpStatus,
          <code key={code}>
            <Identifier name={code} />
          </code>,
          <Html key={meaning} html={commentHtml(meaning)} />,
        ])}
      />
    </div>
  </TwoColumns>
);
