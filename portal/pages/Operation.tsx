// One operation of the reference: REST and RPC side by side, then all parameters and results.

import { EXPLORE_KEY_PLACEHOLDER } from "../../src/portal/explore-key.ts";
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
import { restCall } from "../content/snippets/snippet.ts";
import styles from "./Operation.module.css";

/** The pages of the reference, by service. */
export const referenceGroups = openApi.tags.map(({ name }) => ({
  title: titleOfTag(name),
  links: OPERATIONS.filter(({ tag }) => tag === name).map(({ path, name }) => ({ href: path, label: name })),
}));

export function Operation({ operation }: { readonly operation: OperationPage }) {
  const { path, tag, name, description, verb, restPath, rpc, inputs, response, messages, errors } = operation;
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
      <div class={styles.columns}>
        <Html class={`${prose.prose} ${styles.intro}`} html={commentHtml(description)} />
        <Sample operation={operation} />
        <div class={`${prose.prose} ${styles.details}`}>
          <h2 id="parameters">Parameters</h2>
          {inputs.length === 0 ? <p>This method takes no parameters.</p> : <Parameters inputs={inputs} />}
          <h2 id="response">Response</h2>
          <Html html={commentHtml(response, "Response")} />
          {messages.map(({ name: message, table }) => (
            <section key={message}>
              <h3 id={message.toLowerCase()}>{message}</h3>
              <Html html={commentHtml(table, message)} />
            </section>
          ))}
          <h2 id="errors">Errors</h2>
          <Errors errors={errors} />
        </div>
      </div>
    </TwoColumns>
  );
}

// The call in each language, which stays in sight beside the parameters, and its response: the recorded one, until the user runs the call.
function Sample({ operation }: { readonly operation: OperationPage }) {
  const { path, recorded, isStream } = operation;
  const call = callOf(operation);
  const { verb, target, body } = restCall(call);
  return (
    <aside class={styles.sample} aria-labelledby="call-it">
      <h2 id="call-it">Call it</h2>
      <Tabs
        name="snippet"
        label="Language"
        areLanguages
        tabs={[...shellSnippets(call), ...programSnippets(call)].map(({ title, code, language }) => ({
          title,
          content: <CodeBlock code={code} language={language} />,
        }))}
      />
      {call.credential === "key" && (
        <>
          {/* The server puts the public key here, if it has one. */}
          <template data-placeholder={EXPLORE_KEY_PLACEHOLDER} />
          <form
            class={styles.run}
            data-run-sample
            data-verb={verb}
            data-target={target}
            data-body={body}
            data-stream={isStream || undefined}
            data-credential={call.credential}
            hidden
          >
            <button type="submit">Run</button>
            <a href={path.replace("/reference/", "/app/console/")}>Open in console</a>
            <details>
              <summary>Key</summary>
              <label>
                Your own key
                <input type="password" name="key" autocomplete="off" spellcheck={false} placeholder="qk_live_…" />
              </label>
              <p>
                Leave this empty to use a key from your account, if you are signed in, or this server's public key, if it has one.
              </p>
            </details>
            <p role="status" />
          </form>
        </>
      )}
      <h3 id="recorded">{isStream ? "The first message" : "The response"}</h3>
      <div data-response class={styles.recorded}>
        <JsonBlock value={recorded.response} />
      </div>
    </aside>
  );
}

const Parameters = ({ inputs }: { readonly inputs: OperationPage["inputs"] }) => (
  <ul class={styles.parameters}>
    {inputs.map(({ name, type, bounds, byDefault, isRequired, description }) => {
      const limits = [bounds, byDefault && `default ${byDefault}`].filter((part) => part !== "").join(", ");
      return (
        <li key={name} id={`parameter-${name}`}>
          <div>
            <code>{name}</code> <Html class={styles.type} html={commentHtml(type)} />
            {isRequired && <b>required</b>}
          </div>
          {limits !== "" && (
            <Html class={styles.bounds} html={commentHtml(`${limits.charAt(0).toUpperCase()}${limits.slice(1)}.`)} />
          )}
          <Html html={commentHtml(description)} />
        </li>
      );
    })}
  </ul>
);

const Errors = ({ errors }: { readonly errors: readonly OperationError[] }) => (
  <DataTable
    label="Errors"
    headings={["HTTP", "Reason", "Meaning"]}
    rows={errors.map(({ status, reason, meaning }) => [
      status,
      <a key={reason} href={`/errors/${reason}`}>
        <code>
          <Identifier name={reason} />
        </code>
      </a>,
      <Html key="meaning" html={commentHtml(meaning)} />,
    ])}
  />
);
