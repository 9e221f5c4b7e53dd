// The tools of the MCP endpoint: one for each unary method of the data services, with its description, its schemas and an example from
// the protos. A client reads the whole list, so schemas leave out what only other protocols accept.
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ListedTool, WrittenTool } from "../src/gateway/mcp/tools.ts";
import { rpcPath } from "../src/gateway/rpc/rpc-path.ts";
import { dataServicesOf, type PresentedService } from "./data-services/data-services.ts";
import { commentOf } from "./openapi/comments.ts";
import type { Direction, Schema } from "./openapi/json-schema.ts";
import { recordedCallOf } from "./openapi/recorded-calls.ts";
import { Schemas } from "./openapi/schema.ts";
import { readServices } from "./protos.ts";

const NAME_CHARACTERS_MAX = 64;
const COMPONENTS = "#/components/schemas/";

/** Every tool, in the order in which services and methods are listed. Throws an error for a name that clients would not accept. */
export const mcpTools = (): readonly WrittenTool[] =>
  dataServicesOf(readServices()).flatMap((service) =>
    service.desc.methods.filter(({ methodKind }) => methodKind === "unary").map((method) => toolOf(service, method)),
  );

// `SearchStations` → `search stations`
const wordsOf = (name: string): string => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").toLowerCase();

function toolOf({ presentation }: PresentedService, method: DescMethod): WrittenTool {
  const name = `${presentation.name}_${wordsOf(method.name)}`.replaceAll(/[ -]/g, "_");
  if (name.length > NAME_CHARACTERS_MAX) {
    throw new Error(
      `${method.toString()}: ${name} is longer than ${NAME_CHARACTERS_MAX} characters, which MCP clients do not accept`,
    );
  }
  const isReadOnly = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const example = recordedCallOf(method)?.request;
  return {
    method: rpcPath(method),
    tool: {
      name,
      title: `${presentation.title}: ${wordsOf(method.name)}`,
      description: commentOf(method),
      inputSchema: { ...schemaOf(method, "input"), ...(example !== undefined && { examples: [example] }) },
      outputSchema: orDryRun(schemaOf(method, "output")),
      annotations: {
        readOnlyHint: isReadOnly,
        destructiveHint: false,
        idempotentHint: method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN,
        // Whether the data comes from an outside source.
        openWorldHint: presentation.source !== "",
      },
    },
  };
}

// A dry run has no output, only what is common to all tools.
const orDryRun = ({ required, ...schema }: ListedTool["outputSchema"]): ListedTool["outputSchema"] =>
  required === undefined
    ? schema
    : { ...schema, anyOf: [{ required }, { properties: { dry_run: { const: true } }, required: ["dry_run"] }] };

// A message's schema with everything that it refers to.
function schemaOf(method: DescMethod, direction: Direction): ListedTool["inputSchema"] {
  const message = method[direction];
  const schemas = new Schemas({ acceptsNull: false });
  schemas.refer(message, direction);
  const { [message.name]: own, ...others } = Object.fromEntries(schemas.components);
  const schema = { ...own, ...(Object.keys(others).length > 0 && { $defs: others }) };
  // References in OpenAPI have other paths.
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? value.replace(COMPONENTS, "#/$defs/") : value,
  ) as Schema & { readonly type: "object" };
}
