// From zero to the first call, in each language that the reference has snippets for.
import { CodeBlock, JsonBlock } from "../components/CodeBlock.tsx";
import { DataTable } from "../components/DataTable.tsx";
import { Html } from "../components/Html.tsx";
import { Identifier } from "../components/Identifier.tsx";
import { OnThisPage } from "../components/OnThisPage.tsx";
import prose from "../components/Prose.module.css";
import { Tabs } from "../components/Tabs.tsx";
import { TwoColumns } from "../components/TwoColumns.tsx";
import { keyPath } from "../components/visitor-paths.ts";
import { commentHtml } from "../content/guides.ts";
import { FIRST_CALLS, FIRST_REASONS, FIRST_RESPONSE, type FirstCall, QUICKSTART_PATH } from "../content/quickstart.ts";
import styles from "./Guide.module.css";
import { guideGroups } from "./Guide.tsx";

const HEADINGS = [
  { id: "get-a-key", text: "1. Get a key" },
  { id: "set-it", text: "2. Set the KEY variable" },
  { id: "call", text: "3. Make the call" },
  { id: "response", text: "4. Read the response" },
  { id: "errors", text: "If the call fails" },
  { id: "next", text: "Next" },
].map((heading) => ({ ...heading, depth: 2 }));

export const Quickstart = () => (
  <TwoColumns label="Docs" groups={guideGroups} path={QUICKSTART_PATH}>
    <div class={styles.guide}>
      <OnThisPage headings={HEADINGS} />
      <div class={prose.prose}>
        <h1>Quickstart</h1>
        <p>From zero to your first call in about two minutes. No card needed.</p>
        <h2 id="get-a-key">1. Get a key</h2>
        <p>
          <a href={keyPath("farkle")}>Sign up</a>: you get the free plan of Farkle, and your first key. Copy it, because it is shown
          only once. Later you subscribe to more services under <a href="/app/subscriptions">Subscriptions</a>, and create more keys
          under <a href="/app/keys">Keys</a>.
        </p>
        <h2 id="set-it">2. Set the KEY variable</h2>
        <p>
          Every example takes the key from the environment variable <code>KEY</code>.
        </p>
        <Tabs
          name="shell"
          label="Shell"
          tabs={[
            { title: "macOS and Linux", content: <CodeBlock code="export KEY='qk_live_…'" language="bash" /> },
            { title: "PowerShell", content: <CodeBlock code="$env:KEY = 'qk_live_…'" language="powershell" /> },
          ]}
        />
        <h2 id="call">3. Make the call</h2>
        <p>
          This scores a roll of dice. You call every other method in the same way: the <a href="/reference">reference</a> has the
          same examples for each.
        </p>
        <Tabs
          name="snippet"
          label="Language"
          areLanguages
          tabs={FIRST_CALLS.map((call) => ({ title: call.title, content: <FirstCallSteps call={call} /> }))}
        />
        <h2 id="response">4. Read the response</h2>
        <p>
          Over REST, the result is in <code>data</code>. In the other protocols, it is the message itself, with field names in camel
          case.
        </p>
        <JsonBlock value={FIRST_RESPONSE} />
        <h2 id="errors">If the call fails</h2>
        <p>
          Every example then ends with an error that says why. These are the most likely ones; <a href="/errors">each error</a> has
          a page that says what to do.
        </p>
        <DataTable
          label="Likely errors"
          headings={["Reason", "HTTP", "What to do"]}
          rows={FIRST_REASONS.map(({ reason, path, httpStatus, whatToDo }) => [
            <a key={reason} href={path}>
              <code>
                <Identifier name={reason} />
              </code>
            </a>,
            httpStatus,
            <Html key={path} html={commentHtml(whatToDo)} />,
          ])}
        />
        <h2 id="next">Next</h2>
        <ul>
          <li>
            <a href="/app/console/farkle/score">The console</a> calls any method from a form, and shows the bytes.
          </li>
          <li>
            <a href="/docs/clients">Clients</a>: typed clients, deadlines, retries and streams.
          </li>
          <li>
            <a href="/docs/limits">Limits and plans</a>: how often you may call.
          </li>
        </ul>
      </div>
    </div>
  </TwoColumns>
);

const FirstCallSteps = ({ call: { code, language, needs, file, commands } }: { readonly call: FirstCall }) => (
  <>
    <Html
      html={commentHtml(`You need ${needs}.${file === undefined ? " Paste this into a shell:" : ` Save this as \`${file}\`:`}`)}
    />
    <CodeBlock code={code} language={language} />
    {commands !== "" && (
      <>
        <p>Run it:</p>
        <CodeBlock code={commands} language="bash" />
      </>
    )}
  </>
);
