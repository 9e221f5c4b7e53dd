// One operation of the reference: REST and RPC side by side, then everything it takes and returns.
import { CodeBlock, JsonBlock } from "../components/CodeBlock.tsx";
import { DataTable } from "../components/DataTable.tsx";
import { Html } from "../components/Html.tsx";
import { Identifier } from "../components/Identifier.tsx";
import prose from "../components/Prose.module.css";
import { Tabs } from "../components/Tabs.tsx";
import { TwoColumns } from "../components/TwoColumns.tsx";
import { commentHtml } from "../content/guides.ts";
import { openApi } from "../content/openapi.ts";
import { OPERATIONS, type OperationError, type OperationPage } from "../content/operations.ts";
import { titleOfTag } from "../content/services.ts";
import { callOf } from "../content/snippets/call.ts";
import { programSnippets } from "../content/snippets/programs.ts";
import { shellSnippets } from "../content/snippets/shell.ts";
import styles from "./Operation.module.css";

/** The pages of the reference, by service. */
export const referenceGroups = openApi.tags.map(({ name }) => ({
  title: titleOfTag(name),
  links: OPERATIONS.filter(({ tag }) => tag === name).map(({ path, name }) => ({ href: path, words: name })),
}));

/** The page. */
export function Operation({ operation }: { readonly operation: OperationPage }) {
  const { path, tag, name, description, verb, restPath, rpc, parameters, response, messages, errors, recorded } = operation;
  const call = callOf(operation);
  const [service, method] = rpc.split("/");
  return (
    <TwoColumns label="Reference" groups={referenceGroups} path={path}>
      <p class={styles.service}>
        <a href={`/reference#${tag.toLowerCase()}`}>{titleOfTag(tag)}</a>
      </p>
      <h1>{name}</h1>
      <dl class={styles.addresses}>
        <div>
          <dt>REST</dt>
          <dd>
            <code>
              <b>{verb}</b> {restPath}
            </code>
          </dd>
        </div>
        <div>
          <dt>gRPC, Connect, gRPC-Web</dt>
          <dd>
            <code>
              <b>POST</b> /{service}/<wbr />
              {method}
            </code>
          </dd>
        </div>
      </dl>
      <div class={prose.prose}>
        <Html html={commentHtml(description)} />
        <h2 id="call-it">Call it</h2>
        {call.credential === "key" && (
          <p>
            <a href={path.replace("/reference/", "/app/console/")}>Open it in the console</a>, with these values in a form, and see
            what goes over the wire.
          </p>
        )}
        <Tabs
          name="snippet"
          label="Language"
          tabs={[...shellSnippets(call), ...programSnippets(call)].map(({ title, code, language }) => ({
            title,
            content: <CodeBlock code={code} language={language} />,
          }))}
        />
        <h3 id="recorded">{operation.isStream ? "The first message" : "The response"}</h3>
        <JsonBlock value={recorded.response} />
        <h2 id="parameters">Parameters</h2>
        <Html html={commentHtml(parameters)} />
        <h2 id="response">Response</h2>
        <Html html={commentHtml(response)} />
        {messages.map(({ name: message, table }) => (
          <section key={message}>
            <h3 id={message.toLowerCase()}>{message}</h3>
            <Html html={commentHtml(table)} />
          </section>
        ))}
        <h2 id="errors">Errors</h2>
        <Errors errors={errors} />
      </div>
    </TwoColumns>
  );
}

const Errors = ({ errors }: { readonly errors: readonly OperationError[] }) => (
  <DataTable
    label="Errors"
    headings={["HTTP", "reason", "for example"]}
    rows={errors.map(({ status, reason, message }) => [
      status,
      <a key={reason} href={`/errors/${reason}`}>
        <code>
          <Identifier name={reason} />
        </code>
      </a>,
      message,
    ])}
  />
);
