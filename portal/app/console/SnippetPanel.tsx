// The call as somebody would write it in a shell or a program, with the form's values.
import type { JsonObject } from "@bufbuild/protobuf";
import { Tabs } from "../../components/Tabs.tsx";
import { CopyBlock } from "../../components/ui/CopyBlock.tsx";
import { programSnippets } from "../../content/snippets/programs.ts";
import { shellSnippets } from "../../content/snippets/shell.ts";
import styles from "./Console.module.css";
import type { ConsoleMethod } from "./contract/contract.ts";

/** The panel. */
export function SnippetPanel({ method, input }: { readonly method: ConsoleMethod; readonly input: JsonObject }) {
  const call = {
    verb: "GET",
    restPath: method.restPath,
    rpc: method.rpc,
    input,
    credential: "key",
    isStream: method.isStream,
    server: location.origin,
  } as const;
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
          content: <CopyBlock code={code} label={`the ${title} snippet`} />,
        }))}
      />
    </>
  );
}
