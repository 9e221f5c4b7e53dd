// The tools of the MCP endpoint: one for each unary method of the data services, with its description, its schemas and an example from
// the protos. Agents keep the whole list in their context, so it has what they need before a call, and of a result only an outline.
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ListedTool, WrittenTool } from "../src/gateway/mcp/tools.ts";
import { rpcPath } from "../src/gateway/rpc/rpc-path.ts";
import { dataServicesOf, type PresentedService } from "./data-services/data-services.ts";
import { commentOf } from "./openapi/comments.ts";
import type { Schema } from "./openapi/json-schema.ts";
import { recordedCallOf } from "./openapi/recorded-calls.ts";
import { Schemas } from "./openapi/schema.ts";
import { readServices } from "./protos.ts";

const NAME_CHARACTERS_MAX = 64;
const COMPONENTS = "#/components/schemas/";
const NUMBER_FORMATS: ReadonlySet<unknown> = new Set(["int32", "int64", "double"]);

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
      inputSchema: { ...inputOf(method), ...(example !== undefined && { examples: [example] }) },
      outputSchema: outlineOf(method),
      annotations: {
        readOnlyHint: isReadOnly,
        // Of a tool that only reads, these go without saying.
        ...(!isReadOnly && {
          destructiveHint: false,
          idempotentHint: method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN,
        }),
        // Whether the data comes from an outside source.
        openWorldHint: presentation.source !== "",
      },
    },
  };
}

// A message's schema with everything that it refers to.
function inputOf({ input }: DescMethod): ListedTool["inputSchema"] {
  const schemas = new Schemas({ acceptsNull: false });
  schemas.refer(input, "input");
  const { [input.name]: own, ...others } = Object.fromEntries(schemas.components);
  const schema = { ...own, ...(Object.keys(others).length > 0 && { $defs: others }) };
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    // References in OpenAPI have other paths.
    if (key === "$ref" && typeof value === "string") {
      return value.replace(COMPONENTS, "#/$defs/");
    }
    // The width of a number, which its bounds say better.
    return key === "format" && NUMBER_FORMATS.has(value) ? undefined : value;
  }) as Schema & { readonly type: "object" };
}

// The types of a result's own fields. Nothing is required, because a dry run has no output.
function outlineOf({ output }: DescMethod): ListedTool["outputSchema"] {
  const schemas = new Schemas();
  const typeOf = ({ $ref, type, items }: Schema): Schema => ({
    type: $ref === undefined ? type : "object",
    ...(items !== undefined && { items: typeOf(items as Schema) }),
  });
  return {
    type: "object",
    properties: Object.fromEntries(output.fields.map((field) => [field.name, typeOf(schemas.field(field, "output"))])),
  };
}
