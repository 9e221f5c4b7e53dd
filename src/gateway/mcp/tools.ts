// The tools of MCP: one for each unary method of the data services. `npm run generate` writes their descriptions for clients from the
// protos.
import { readFileSync } from "node:fs";
import type { Message } from "@bufbuild/protobuf";
import { type Bind, compileBind, parseTemplate } from "@quintet/transcoding";
import { isUnixSeconds } from "../../problem/timestamp.ts";
import { messageConversion } from "../rest/rest-encoder.ts";
import type { Invoke } from "../rpc/invoke.ts";
import type { Method } from "../rpc/method.ts";

/** A JSON Schema of an object. */
type ObjectSchema = Readonly<Record<string, unknown>> & { readonly type: "object" };

/** A tool as clients see it. https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
}

/** A tool as `npm run generate` writes it to its file. */
export interface WrittenTool {
  /** The path of its method: `/quintet.farkle.v1.FarkleService/Score`. */
  readonly method: string;
  readonly tool: ListedTool;
}

/** A tool that can be called. */
export interface Tool {
  readonly method: Method;
  readonly invoke: Invoke;
  /** Builds the input from the arguments, a JSON object in UTF-8, by the rules of REST's bodies. Throws a Failure. */
  readAsInput(args: Uint8Array): Message;
  /** The output as a plain object, as in the `data` of a REST response. */
  readonly toObject: (output: Message) => Record<string, unknown>;
}

export interface Tools {
  readonly listed: readonly ListedTool[];
  readonly byName: ReadonlyMap<string, Tool>;
}

const FILE = new URL("../../../gen/mcp-tools.json", import.meta.url);

/** The tools of the methods that are served. */
export function readTools(methods: ReadonlyMap<string, Method>): Tools {
  const listed: ListedTool[] = [];
  const byName = new Map<string, Tool>();
  for (const { method: path, tool } of JSON.parse(readFileSync(FILE, "utf8")) as readonly WrittenTool[]) {
    const method = methods.get(path);
    if (method?.invoke !== undefined) {
      listed.push(tool);
      byName.set(tool.name, toolOf(method, method.invoke));
    }
  }
  return { listed, byName };
}

function toolOf(method: Method, invoke: Invoke): Tool {
  const bind: Bind = compileBind(
    { rpc: method.desc, template: parseTemplate("/mcp"), httpMethod: "POST", body: "*" },
    isUnixSeconds,
  );
  return {
    method,
    invoke,
    readAsInput: (args) => bind({ pathValues: [], query: "", body: args, bodyType: "json" }),
    toObject: messageConversion(method.desc.output) as Tool["toObject"],
  };
}
