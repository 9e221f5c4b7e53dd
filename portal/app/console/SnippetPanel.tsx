// The call as somebody would write it in a shell or a program, with the form's values.
import type { JsonObject } from "@bufbuild/protobuf";
import { Tabs } from "../../components/Tabs.tsx";
import { CopyBlock } from "../../components/ui/CopyBlock.tsx";
import { programSnippets } from "../../content/snippets/programs.ts";
import { shellSnippets } from "../../content/snippets/shell.ts";
import styles from "./Console.module.css";
import { codeParts } from "./code-parts.ts";
import type { ConsoleMethod } from "./contract/contract.ts";
import { snippetCall } from "./snippet-call.ts";

/** The panel. */
export function SnippetPanel({
  method,
  input,
  isDryRun,
}: {
  readonly method: ConsoleMethod;
  readonly input: JsonObject;
  readonly isDryRun: boolean;
}) {
  const call = snippetCall(method, input, { isDryRun, server: location.origin });
  return (
    <>
      <p class={styles.hint}>
        Put a key of yours into the environment variable <code>KEY</code>. <a href="/app/keys">Make a key</a>
      </p>
      <Tabs
        name="snippet"
        label="Language"
        tabs={[...shellSnippets(call), ...programSnippets(call)].map(({ title, code }) => ({
          title,
          content: (
            <CopyBlock code={code} label={`the ${title} snippet`}>
              <Coloured code={code} />
            </CopyBlock>
          ),
        }))}
      />
    </>
  );
}

// The classes are those of the pages' own blocks of code.
const Coloured = ({ code }: { readonly code: string }) => (
  <>
    {codeParts(code).map(({ text, kind }, index) =>
      kind === "plain" ? (
        text
      ) : (
        <span key={index} class={`hljs-${kind}`}>
          {text}
        </span>
      ),
    )}
  </>
);
