// The MCP endpoint: agents call the data services as tools, over streamable HTTP. A request is read only if its key is valid. A tool call
// then takes the same path as every other call: through its method's access check, the unary pipeline and the observers. All other messages
// are free, so there is a limit on how many of them an account may send.
import type { CallToolResult } from "@modelcontextprotocol/server";
import { Throttle } from "@quintet/guard";
import type { BodyRoom, Client, Exchange, RequestHandler, RequestHeaders, ResponseHeaders, ResponseStream } from "@quintet/http";
import { type Json, JsonMembers, JsonSyntaxError, jsonExcess, readJson, writeJson } from "@quintet/transcoding";
import type { Refused } from "../../guard/guard.ts";
import type { CallerIdentity } from "../../guard/keys/access.ts";
import { malformed } from "../../problem/failure.ts";
import { challengeHeaders, problemHeaders } from "../../problem/headers.ts";
import type { Problem } from "../../problem/problem.ts";
import { REASONS, type Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Identify } from "../access-check.ts";
import type { CallObserver, CurrentObserver, ObservedCall } from "../call-observer.ts";
import type { RunCall } from "../call-runner.ts";
import { addCorsHeaders } from "../cors.ts";
import { acceptsGzip, isUtf8, mediaTypeOf, NOT_UTF8, preferredOf } from "../media-type.ts";
import { UnaryOperation } from "../operation.ts";
import { COMPRESS_BYTES_MIN, compress, requireEncoding } from "../rpc/compression.ts";
import type { Method } from "../rpc/method.ts";
import { problemOfThrown } from "../transport-problem.ts";
import type { AddTransportSecurity } from "../transport-security.ts";
import { errorFacts } from "./error-facts.ts";
import type { HandleMessage, McpResponse } from "./mcp-server.ts";
import { ToolCodec } from "./tool-codec.ts";
import { readTools, type Tools } from "./tools.ts";

// The exchange of a tool call, inside the HTTP exchange of the message that contains it. Everything about the caller comes from the outer
// exchange; only the response goes back to the endpoint, which sends it inside its own message.
class ToolExchange implements Exchange {
  readonly hasBody = false;
  responded = false;
  readonly #outer: Exchange;
  readonly #onRespond: (headers: ResponseHeaders) => void;

  /** `onRespond` is called once, with the headers of the response. */
  constructor(outer: Exchange, onRespond: (headers: ResponseHeaders) => void) {
    this.#outer = outer;
    this.#onRespond = onRespond;
  }

  get httpVersion(): 1 | 2 {
    return this.#outer.httpVersion;
  }

  get isSecure(): boolean {
    return this.#outer.isSecure;
  }

  get client(): Client {
    return this.#outer.client;
  }

  get method(): string {
    return this.#outer.method;
  }

  get path(): string {
    return this.#outer.path;
  }

  get query(): string {
    return this.#outer.query;
  }

  get authority(): string | undefined {
    return this.#outer.authority;
  }

  get headers(): RequestHeaders {
    return this.#outer.headers;
  }

  get requestId(): string {
    return this.#outer.requestId;
  }

  get status(): number {
    return this.#outer.status;
  }

  get requestBodyBytes(): number {
    return this.#outer.requestBodyBytes;
  }

  get responseBodyBytes(): number {
    return this.#outer.responseBodyBytes;
  }

  readBody(): Uint8Array {
    return new Uint8Array();
  }

  async *bodyChunks(): AsyncGenerator<Uint8Array> {}

  reserveBody(bodyBytesMax: number, isCallerKnown: boolean): BodyRoom | undefined {
    return this.#outer.reserveBody(bodyBytesMax, isCallerKnown);
  }

  whenRoom(): Promise<void> | undefined {
    return this.#outer.whenRoom();
  }

  respond(_status: number, headers: ResponseHeaders): void {
    if (!this.responded) {
      this.responded = true;
      this.#onRespond(headers);
    }
  }

  openResponse(): ResponseStream {
    throw new Error("a tool call has no streamed response");
  }

  async discardBody(): Promise<void> {}

  onEnd(callback: (completed: boolean) => void): void {
    this.#outer.onEnd(callback);
  }
}

/** A message, parsed twice. */
interface Message {
  /** As JSON.parse returns it. */
  readonly parsed: unknown;
  /** The arguments of a tool call, a JSON object in UTF-8; an empty one if there are none. Throws a Failure. */
  argumentsOf(): Uint8Array;
}

// Room for `params` and its members around the arguments, which have their own limit, and for `_meta`.
const DEPTH_MAX = 24;

const UTF8_DECODER = new TextDecoder("utf-8", { fatal: true });

/** Parses a body. Throws a Failure MALFORMED_REQUEST if it is not one message. */
function readMessage(body: Uint8Array): Message {
  const excess = jsonExcess(body, DEPTH_MAX);
  if (excess !== undefined) {
    throw malformed(`The message ${excess}.`);
  }
  const text = textOf(body);
  const json = jsonOf(text);
  if (Array.isArray(json)) {
    throw malformed("Send one JSON-RPC message in each request; batches are not accepted.");
  }
  const parsed: unknown = JSON.parse(text);
  checkEnvelope(parsed);
  return {
    parsed: withoutNulls(parsed),
    argumentsOf() {
      const args = memberOf(memberOf(json, "params"), "arguments");
      return Buffer.from(args === undefined || args === null ? "{}" : writeJson(args));
    },
  };
}

/** A JSON-RPC message, as far as it has been checked. */
type Envelope = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Envelope => typeof value === "object" && value !== null && !Array.isArray(value);

// The SDK would say only that it is not a valid message. https://www.jsonrpc.org/specification#request_object
function checkEnvelope(message: unknown): asserts message is Envelope {
  if (!isObject(message)) {
    throw malformed("A message must be a JSON object.");
  }
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0") {
    throw malformed('A message must have jsonrpc, with the value "2.0".');
  }
  if ("id" in message && typeof id !== "string" && !Number.isInteger(id)) {
    throw malformed("The id of a message must be a string or a whole number; leave it out of a notification.");
  }
  if ("method" in message && typeof method !== "string") {
    throw malformed('The method of a message must be a string, such as "tools/list".');
  }
  if (params !== undefined && params !== null && !isObject(params)) {
    throw malformed("The params of a message must be an object.");
  }
  if (isObject(params) && params._meta !== undefined && params._meta !== null && !isObject(params._meta)) {
    throw malformed("params._meta must be an object.");
  }
}

// Clients write null for what they leave out.
function withoutNulls(message: Envelope): Envelope {
  const { params, ...rest } = message;
  if (!isObject(params)) {
    return params === null ? rest : message;
  }
  return { ...rest, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) };
}

function textOf(body: Uint8Array): string {
  try {
    return UTF8_DECODER.decode(body);
  } catch {
    throw malformed("The message is not valid UTF-8.");
  }
}

function jsonOf(text: string): Json {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      throw malformed(`The message is not valid JSON: ${error.message}.`);
    }
    throw error;
  }
}

function memberOf(json: Json | undefined, name: string): Json | undefined {
  const found = json instanceof JsonMembers ? json.members.filter(([key]) => key === name) : [];
  if (found.length > 1) {
    throw malformed(`The message gives ${name} twice.`);
  }
  return found[0]?.[1];
}

export const MCP_PATH = "/mcp";

interface McpEndpointOptions {
  /** All methods that are served; those of the data services are tools. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly identify: Identify;
  readonly runCall: RunCall;
  readonly addTransportSecurity: AddTransportSecurity;
  readonly currentObserver: CurrentObserver;
  readonly clock: Clock;
  readonly log: Log;
}

/** Room for the rest of a message besides a tool's arguments: names, its id, and what clients say about themselves. */
const ARGUMENTS_OVERHEAD_BYTES_MAX = 16_384;
/** Limits the messages, other than admitted calls, that an account may send to one thread. A client sends about four when it connects. */
const FREE_MESSAGES = { burst: 100, everyMs: 100 };

const HEADERS_READ = ["mcp-protocol-version", "mcp-method", "mcp-name"];

const JSON_TYPE = "application/json";
const EVENT_STREAM = "text/event-stream";

const JSON_RPC_INVALID_REQUEST = -32_600;
const JSON_RPC_SERVER_ERROR = -32_000;

export function createMcpEndpoint(options: McpEndpointOptions): RequestHandler {
  const tools = readTools(options.methods);
  const argumentsBytesMax = Math.max(...[...tools.byName.values()].map(({ method }) => method.messageLimits.bodyBytesMax));
  const shared: Shared = {
    ...options,
    tools,
    bodyBytesMax: argumentsBytesMax + ARGUMENTS_OVERHEAD_BYTES_MAX,
    freeMessages: new Throttle(options.clock, FREE_MESSAGES),
    handleMessage: loadOnce(async () => (await import("./mcp-server.ts")).createMessageHandler(tools)),
  };
  return (exchange) => void new McpRequest(exchange, shared).serve();
}

function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

interface Shared extends McpEndpointOptions {
  readonly tools: Tools;
  readonly bodyBytesMax: number;
  readonly freeMessages: Throttle;
  readonly handleMessage: () => Promise<HandleMessage>;
}

class McpRequest {
  readonly #exchange: Exchange;
  readonly #shared: Shared;
  readonly #observer: CallObserver | undefined;
  readonly #startedMs: number;
  readonly #headers: ResponseHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  #identity: CallerIdentity | undefined;
  /** Undefined if the message does not call a tool. */
  #call: ToolCodec | undefined;
  #isCounted = false;

  constructor(exchange: Exchange, shared: Shared) {
    this.#exchange = exchange;
    this.#shared = shared;
    this.#observer = shared.currentObserver();
    this.#startedMs = shared.clock.monotonicMs();
    shared.addTransportSecurity(this.#headers, exchange);
    addCorsHeaders(this.#headers, exchange);
  }

  async serve(): Promise<void> {
    try {
      const refusal = problemOfHead(this.#exchange) ?? (await this.#problemOfCaller());
      if (refusal !== undefined) {
        this.#refuse(refusal);
        return;
      }
      await this.#handle();
    } catch (thrown) {
      const problem = problemOfThrown(thrown);
      if (problem.reason === "INTERNAL") {
        this.#shared.log.error(
          { err: problem.cause, request_id: this.#exchange.requestId },
          "an MCP message failed because of a defect",
        );
      }
      this.#countFree();
      this.#refuse(problem);
    }
  }

  async #problemOfCaller(): Promise<Problem | undefined> {
    const { identify, freeMessages } = this.#shared;
    const found = await identify(this.#exchange);
    this.#identity = found.identity;
    if ("admitted" in found) {
      return (found satisfies Refused).problem;
    }
    const waitMs = freeMessages.waitMs(found.identity.accountId);
    return waitMs > 0 ? tooManyMessages(waitMs) : undefined;
  }

  async #handle(): Promise<void> {
    const exchange = this.#exchange;
    requireEncoding(exchange.headers["content-encoding"], { allowsGzip: false });
    const message = readMessage(await exchange.readBody(this.#shared.bodyBytesMax, true));
    const refusal = callsTool(message) ? undefined : this.#takeFree();
    if (refusal !== undefined) {
      this.#refuse(refusal);
      return;
    }
    const handleMessage = await this.#shared.handleMessage();
    const response = await handleMessage({
      headers: headersRead(exchange),
      message: message.parsed,
      callTool: (name) => this.#callTool(name, message),
    });
    if (this.#call?.isAdmitted !== true) {
      this.#countFree();
    }
    await exchange.whenRoom();
    if (this.#call === undefined) {
      this.#observe(response.status < 400 ? "OK" : "MALFORMED_REQUEST");
    }
    this.#respond(response);
  }

  // The handler of tools/call has already checked that the tool exists.
  #callTool(name: string, message: Message): Promise<CallToolResult> {
    const { tools, runCall } = this.#shared;
    const tool = tools.byName.get(name);
    if (tool === undefined) {
      return Promise.reject(new Error(`there is no tool ${name}`));
    }
    const codec = new ToolCodec(tool, message.argumentsOf());
    this.#call = codec;
    return new Promise((resolve) => {
      const exchange = new ToolExchange(this.#exchange, (headers) => {
        Object.assign(this.#headers, headers);
        resolve(codec.result as CallToolResult);
      });
      const operation = new UnaryOperation(exchange, tool.method, codec, tool.invoke);
      operation.observer = this.#observer;
      operation.startedMs = this.#startedMs;
      runCall(operation);
    });
  }

  // Counts a message before it is handled: other messages may have arrived since the head was checked.
  #takeFree(): Problem | undefined {
    const waitMs = this.#shared.freeMessages.take(this.#identity?.accountId ?? "");
    this.#isCounted = waitMs === 0;
    return waitMs > 0 ? tooManyMessages(waitMs) : undefined;
  }

  #countFree(): void {
    if (this.#identity !== undefined && !this.#isCounted) {
      this.#isCounted = true;
      this.#shared.freeMessages.count(this.#identity.accountId);
    }
  }

  // Not called for a tool call: the pipeline reports tool calls to the observer.
  #observe(outcome: "OK" | Reason): void {
    const observer = this.#observer;
    if (observer !== undefined) {
      const call = this.#observed();
      observer.started(call);
      this.#exchange.onEnd(() => observer.ended(call, outcome, false));
    }
  }

  #observed(): ObservedCall {
    return {
      exchange: this.#exchange,
      protocolName: "mcp",
      method: undefined,
      isDryRun: false,
      startedMs: this.#startedMs,
      identity: this.#identity,
    };
  }

  // Clients should accept both types; many accept only one. Whoever accepts neither has been refused.
  #respond({ status, json }: McpResponse): void {
    const headers = this.#headers;
    const isStream = status === 200 && preferredOf(this.#exchange.headers.accept, JSON_TYPE, EVENT_STREAM) === EVENT_STREAM;
    const body = isStream ? `event: message\ndata: ${json}\n\n` : json;
    if (json !== "") {
      headers["content-type"] = isStream ? EVENT_STREAM : JSON_TYPE;
    }
    if (body.length < COMPRESS_BYTES_MIN || !acceptsGzip(this.#exchange.headers["accept-encoding"])) {
      this.#exchange.respond(status, headers, body);
    } else {
      this.#exchange.respond(status, { ...headers, "content-encoding": "gzip" }, compress(Buffer.from(body)));
    }
  }

  #refuse(problem: Problem): void {
    if (this.#call === undefined) {
      const { reason } = problem;
      this.#exchange.onEnd(() => this.#observer?.ended(this.#observed(), reason, true));
    }
    const code = problem.reason === "MALFORMED_REQUEST" ? JSON_RPC_INVALID_REQUEST : JSON_RPC_SERVER_ERROR;
    const error = { code, message: problem.message, data: errorFacts(problem) };
    Object.assign(this.#headers, problemHeaders(problem), challengeHeaders(problem));
    if (problem.reason === "ENCODING_UNKNOWN") {
      this.#headers["accept-encoding"] = "identity";
    }
    this.#respond({ status: REASONS[problem.reason].httpStatus, json: JSON.stringify({ jsonrpc: "2.0", id: null, error }) });
  }
}

const callsTool = ({ parsed }: Message): boolean => (parsed as { readonly method?: unknown } | null)?.method === "tools/call";

function headersRead({ headers }: Exchange): Record<string, string> {
  const read = HEADERS_READ.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  return Object.fromEntries(read);
}

// What is wrong with the request's head, whoever the caller is.
function problemOfHead({ method, headers }: Exchange): Problem | undefined {
  if (method !== "POST") {
    const message = `The MCP endpoint accepts POST, not ${method}: it has no sessions and no event stream.`;
    return { reason: "METHOD_NOT_ALLOWED", message, allow: "POST" };
  }
  if (mediaTypeOf(headers["content-type"]) !== JSON_TYPE) {
    return { reason: "UNSUPPORTED_MEDIA_TYPE", message: "The content type of an MCP message must be application/json." };
  }
  if (!isUtf8(headers["content-type"])) {
    return NOT_UTF8;
  }
  return preferredOf(headers.accept, JSON_TYPE, EVENT_STREAM) === undefined ? NOT_ACCEPTABLE : undefined;
}

const NOT_ACCEPTABLE: Problem = {
  reason: "NOT_ACCEPTABLE",
  message: `The response is ${JSON_TYPE} or ${EVENT_STREAM}; the accept header allows neither.`,
};

const tooManyMessages = (waitMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `This account has sent too many MCP messages that are not admitted tool calls; retry in ${Math.max(1, Math.ceil(waitMs / 1000))} s.`,
  retryAfterMs: Math.ceil(waitMs),
});
