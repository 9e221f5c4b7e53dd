// Kubernetes' own OpenAPI documents as the schemas that kubeconform reads. They come with the Go module of kubectl-validate, so nothing is
// downloaded.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { goModuleFolder } from "../../fixtures/go-tool.ts";

const DOCUMENTS = { module: "sigs.k8s.io/kubectl-validate", version: "v0.0.4" };
/** The newest version that the module has. */
const KUBERNETES = "1.30";

interface Schema {
  readonly properties?: object;
  readonly additionalProperties?: unknown;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/**
 * Writes a schema for each kind into a folder, and returns the location that kubeconform takes. Fields that a schema does not name are
 * faults.
 */
export function kubernetesSchemas(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const documents = join(goModuleFolder(DOCUMENTS), "pkg/openapiclient/builtins", KUBERNETES);
  for (const path of globSync("{api,apis}/**/*.json", { cwd: documents })) {
    const { components } = JSON.parse(readFileSync(join(documents, path), "utf8"));
    const schemas = Object.entries<Schema>(components.schemas).map(([name, schema]) => [name, closed(schema)] as const);
    for (const [name, { "x-kubernetes-group-version-kind": kinds = [] }] of schemas) {
      // For kinds without a group, kubeconform uses the version in its place.
      for (const { group, version, kind } of kinds.length === 1 ? kinds : []) {
        const schema = { $ref: `#/components/schemas/${name}`, components: { schemas: Object.fromEntries(schemas) } };
        writeFileSync(
          join(folder, `${[kind, group === "" ? version : group, version].join("_").toLowerCase()}.json`),
          JSON.stringify(schema),
        );
      }
    }
  }
  return join(folder, "{{ .ResourceKind }}_{{ .Group }}_{{ .ResourceAPIVersion }}.json");
}

const closed = (schema: Schema): Schema =>
  schema.properties === undefined || schema.additionalProperties !== undefined
    ? schema
    : { ...schema, additionalProperties: false };
