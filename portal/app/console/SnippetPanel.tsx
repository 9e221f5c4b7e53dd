// The call as a shell command or as code, with the form's values.
import type { JsonObject } from "@bufbuild/protobuf";
import { Tabs } from "../../components/Tabs.tsx";
import { CopyBlock } from "../../components/ui/CopyBlock.tsx";
import { programSnippets } from "../../content/snippets/programs.ts";
import { shellSnippets } from "../../content/snippets/shell.ts";
import styles from "./Console.module.css";
import type { ConsoleMethod } from "./contract/contract.ts";
import { snippetCall } from "./snippet-call.ts";

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
        Set the environment variable <code>KEY</code> to your API key. <a href="/app/keys">Create a key</a>
      </p>
      <Tabs
        name="snippet"
        label="Language"
        areLanguages
        tabs={[...shellSnippets(call), ...programSnippets(call)].map(({ title, code, language }) => ({
          title,
          content: <CopyBlock code={code} label={`the ${title} snippet`} language={language} />,
        }))}
      />
    </>
  );
}
