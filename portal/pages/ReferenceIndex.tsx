// All operations, by service.
import { DataTable } from "../components/DataTable.tsx";
import { Html } from "../components/Html.tsx";
import prose from "../components/Prose.module.css";
import { TwoColumns } from "../components/TwoColumns.tsx";
import { commentHtml } from "../content/guides.ts";
import { openApi } from "../content/openapi.ts";
import { OPERATIONS } from "../content/operations.ts";
import { titleOfTag } from "../content/services.ts";
import { referenceGroups } from "./Operation.tsx";
import styles from "./ReferenceIndex.module.css";

export const ReferenceIndex = () => (
  <TwoColumns label="Reference" groups={referenceGroups} path="/reference">
    <h1>Reference</h1>
    <p>
      Every method, generated from the protos. The same information is in <a href="/openapi.json">openapi.json</a> and, for RPC
      tools, in <a href="/descriptors.binpb">descriptors.binpb</a>. The protos with their comments are in{" "}
      <a href="/protos.zip">protos.zip</a>.
    </p>
    <div class={prose.prose}>
      {openApi.tags.map(({ name, description }) => (
        <section key={name}>
          <h2 id={name.toLowerCase()}>{titleOfTag(name)}</h2>
          <Html html={commentHtml(description)} />
          <DataTable
            label={`Methods: ${titleOfTag(name)}`}
            headings={["RPC", "REST", "What it does"]}
            rows={OPERATIONS.filter(({ tag }) => tag === name).map(({ path, name: method, summary, verb, restPath }) => [
              <a key={path} href={path}>
                <code>{method}</code>
              </a>,
              <code key={restPath} class={styles.path}>
                {verb} {restPath}
              </code>,
              summary,
            ])}
          />
        </section>
      ))}
    </div>
  </TwoColumns>
);
