// How a tool call is read, and its result written. The arguments have arrived with the message that contains them. The result is what
// an agent reads, so a refusal says in its text what the headers and details of other protocols say.
import type { Message } from "@bufbuild/protobuf";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Exchange, ResponseHeaders } from "@quintet/http";
import { problemHeaders } from "../../problem/headers.ts";
import type { Problem } from "../../problem/problem.ts";
import { DRY_RUN_HEADERS, DRY_RUN_MESSAGE } from "../operation.ts";
import type { Codec, EncodedResponse } from "../rpc/codec.ts";
import { addMetadata, type HandlerMetadata } from "../rpc/response-metadata.ts";
import { parseServerTimeoutMs } from "../rpc/timeout.ts";
import { errorFacts } from "./error-facts.ts";
import type { Tool } from "./tools.ts";

const textOf = (text: string): { type: "text"; text: string } => ({ type: "text", text });

/** The codec of one call. The output is kept here, as the result. */
export class ToolCodec implements Codec {
  readonly protocolName = "mcp";
  /** Undefined until the call has ended. https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result */
  result: CallToolResult | undefined;
  /** Whether the guard has admitted the call. */
  isAdmitted = false;
  readonly #tool: Tool;
  readonly #args: Uint8Array;

  /** `args` are a JSON object in UTF-8. */
  constructor(tool: Tool, args: Uint8Array) {
    this.#tool = tool;
    this.#args = args;
  }

  timeoutMs(exchange: Exchange): number | undefined {
    const header = exchange.headers["x-server-timeout"];
    return header === undefined ? undefined : parseServerTimeoutMs(header);
  }

  read(): Message {
    this.isAdmitted = true;
    return this.#tool.readAsInput(this.#args);
  }

  write(_exchange: Exchange, output: Message, headers: ResponseHeaders, { headersSet }: HandlerMetadata): EncodedResponse {
    const all = { ...headers };
    addMetadata(all, headersSet);
    const data = this.#tool.toObject(output);
    // Clients that do not support structured content read the text.
    this.result = { content: [textOf(JSON.stringify(data))], structuredContent: data };
    return { status: 200, headers: all, body: "" };
  }

  writeDryRun(_exchange: Exchange, headers: ResponseHeaders): EncodedResponse {
    // Clients throw away a result without structured content. The schema of every tool's output allows this one.
    this.result = { content: [textOf(DRY_RUN_MESSAGE)], structuredContent: { dry_run: true } };
    return { status: 200, headers: { ...headers, ...DRY_RUN_HEADERS }, body: "" };
  }

  fail(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void {
    const facts = errorFacts(problem);
    this.result = {
      content: [textOf(problem.message), textOf(JSON.stringify(facts))],
      isError: true,
      _meta: { "quintet/error": facts },
    };
    const all: ResponseHeaders = { ...headers, ...problemHeaders(problem) };
    addMetadata(all, metadata?.headersSet);
    exchange.respond(200, all, "");
  }
}
