// The page's calls as shell commands, so that users see that the page uses the API that anybody can call.
import { useState } from "preact/hooks";
import { Button } from "../components/ui/Button.tsx";
import { CopyBlock } from "../components/ui/CopyBlock.tsx";
import { Dialog } from "../components/ui/Dialog.tsx";
import { Skeleton } from "../components/ui/Skeleton.tsx";
import type { ConsoleMethodText } from "../content/console.ts";
import { shellSnippets } from "../content/snippets/shell.ts";
import type { PastCall, PastCalls } from "./past-calls.ts";
import styles from "./ShownCalls.module.css";

/** `secret` is the public key, if the page calls with it. */
export function ShownCalls({ calls, secret }: { readonly calls: PastCalls; readonly secret: string | undefined }) {
  const [shown, setShown] = useState<readonly PastCall[] | undefined>(undefined);
  const [texts, setTexts] = useState<readonly ConsoleMethodText[] | "failed" | undefined>(undefined);
  const open = (): void => {
    setShown(calls.all);
    if (texts === undefined || texts === "failed") {
      loadTexts().then(setTexts, () => setTexts("failed"));
    }
  };
  return (
    <>
      <Button onClick={open}>Show the API calls</Button>
      {shown !== undefined && (
        <Dialog title="This page's calls" onClose={() => setShown(undefined)}>
          {texts === "failed" ? (
            <p>The server cannot be reached. Close this and try again.</p>
          ) : texts === undefined ? (
            <Skeleton rem={16} />
          ) : (
            <>
              <p>
                {secret === undefined ? (
                  <>
                    First set the variable <code>KEY</code> to an API key. <a href="/app/keys">Create a key</a>
                  </>
                ) : (
                  "Paste a command into a shell to call this server with the same public key as this page."
                )}
              </p>
              {shown.length === 0 && <p>The page has not called the API yet.</p>}
              {shown.map((call) => (
                <Call key={call.rpc} call={call} text={texts.find(({ rpc }) => rpc === call.rpc)} secret={secret} />
              ))}
            </>
          )}
        </Dialog>
      )}
    </>
  );
}

function Call({
  call: { rpc, input },
  text,
  secret,
}: {
  readonly call: PastCall;
  readonly text: ConsoleMethodText | undefined;
  readonly secret: string | undefined;
}) {
  if (text === undefined) {
    return null;
  }
  const { verb, restPath, isStream, summary, slug } = text;
  const [snippet] = shellSnippets({
    ...{ rpc, input, verb, restPath, isStream },
    credential: "key",
    isDryRun: false,
    server: location.origin,
  });
  const code = `${secret === undefined ? "" : `KEY=${secret}\n`}${snippet?.code ?? ""}`;
  return (
    <section class={styles.call} aria-label={summary}>
      <h3>{summary}</h3>
      <CopyBlock code={code} label={`the command: ${summary}`} language="bash" />
      <p>
        <a href={`/reference/${slug}`}>Reference</a> · <a href={`/app/console/${slug}`}>Console</a>
      </p>
    </section>
  );
}

async function loadTexts(): Promise<readonly ConsoleMethodText[]> {
  const response = await fetch("/console.json", { credentials: "omit" });
  if (!response.ok) {
    throw new Error(`/console.json responded with ${response.status}`);
  }
  return (await response.json()) as readonly ConsoleMethodText[];
}
