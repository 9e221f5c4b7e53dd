// MCP itself, implemented by the official SDK: JSON-RPC, both generations of the protocol, and their versions. It is loaded for the first
// caller with a valid key, because it takes 35 MB that most servers never need. It keeps no session: every message stands alone, so any
// server behind a load balancer can respond to it. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from "@modelcontextprotocol/server";
import { nearestName, withoutSecrets } from "@quintet/transcoding";
import { SERVICE_NAMES, SERVICES } from "../../catalogue/service-names.ts";
import { version } from "../../runtime/version.ts";
import type { Tools } from "./tools.ts";

/** What the handling of a message needs from its request. */
export interface MessageContext {
  /** The request's headers that MCP reads. */
  readonly headers: Readonly<Record<string, string>>;
  /** The message: parsed JSON. */
  readonly message: unknown;
  /** Calls a tool with the arguments of the message. Never rejects. */
  callTool(name: string): Promise<CallToolResult>;
}

export interface McpResponse {
  readonly status: number;
  /** A JSON-RPC message, or empty if the message that was handled needs no response. */
  readonly json: string;
}

export type HandleMessage = (context: MessageContext) => Promise<McpResponse>;

const INSTRUCTIONS = `Data services, called with an API key. ${SERVICE_NAMES.map(
  (name) => `${SERVICES[name].title}: ${SERVICES[name].summary}`,
).join(
  " ",
)} Each call counts against the account's monthly quota. If a result has isError, its first text says why the call failed, \
and its second text is JSON with the reason, and with retry_after_seconds if the same call may succeed later.`;

// The SDK wants a URL. Nothing reads it.
const URL_OF_ENDPOINT = "http://localhost/mcp";

export function createMessageHandler({ listed, byName }: Tools): HandleMessage {
  const contexts = new WeakMap<Request, MessageContext>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const context = requestInfo && contexts.get(requestInfo);
      const server = new Server(
        { name: "quintet", title: "Quintet", version },
        { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
      );
      server.setRequestHandler("tools/list", () => ({ tools: listed as unknown as Tool[] }));
      server.setRequestHandler("tools/call", ({ params: { name } }) => {
        if (context === undefined || !byName.has(name)) {
          const nearest = nearestName(name, byName.keys());
          const hint = nearest === undefined ? "tools/list lists the tools." : `Did you mean ${nearest}?`;
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool. ${hint}`);
        }
        return context.callTool(name);
      });
      return server;
    },
    // The tools change only with the server's version, so no client needs to listen for changes, and an open stream would have no limit.
    { maxSubscriptions: 0 },
  );
  return async (context) => {
    // Its own check of `accept` wants both types by name. The endpoint has checked what the caller accepts.
    const headers = { ...context.headers, "content-type": "application/json", accept: `application/json, ${EVENT_STREAM}` };
    const request = new Request(URL_OF_ENDPOINT, { method: "POST", headers });
    contexts.set(request, context);
    const response = await handler.fetch(request, { parsedBody: context.message });
    const text = await response.text();
    const isStream = response.headers.get("content-type")?.startsWith(EVENT_STREAM) === true;
    return { status: response.status, json: withReadableError(isStream ? lastEventOf(text) : text) };
  };
}

const EVENT_STREAM = "text/event-stream";
const DATA = "data: ";

// The SDK responds to a request of the older generation with a stream of one event.
const lastEventOf = (events: string): string =>
  events
    .split("\n")
    .findLast((line) => line.startsWith(DATA))
    ?.slice(DATA.length) ?? "";

interface ErrorResponse {
  readonly error?: { readonly code: number; readonly message: string };
}

/** What zod says about one value. https://zod.dev/error-formatting */
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly expected?: string;
}

const ISSUES = /^[^[]*(?<issues>\[\s*\{.*\}\s*\])\s*$/s;
const NOUNS: Readonly<Record<string, string>> = { record: "an object", object: "an object", array: "a list" };

// For a parameter of the wrong type, the SDK's message is what zod wrote for programmers, and mostly an internal error's. Others repeat
// names and headers as they were sent.
function withReadableError(json: string): string {
  const response = json.includes('"error"') ? (JSON.parse(json) as ErrorResponse) : undefined;
  if (response?.error === undefined) {
    return json;
  }
  const issues = ISSUES.exec(response.error.message)?.groups?.issues;
  const message = issues && `Invalid params: ${(JSON.parse(issues) as readonly Issue[]).map(sentenceOf).join("; ")}.`;
  const error = message === undefined ? response.error : { code: ProtocolErrorCode.InvalidParams, message };
  const mask = (_: string, value: unknown): unknown => (typeof value === "string" ? withoutSecrets(value) : value);
  return JSON.stringify({ ...response, error: JSON.parse(JSON.stringify(error), mask) });
}

function sentenceOf({ path, message, expected }: Issue): string {
  const name = path.filter((part, index) => index > 0 || part !== "params").join(".") || "params";
  if (message.endsWith("received undefined")) {
    return `${name} is required`;
  }
  return expected === undefined ? `${name}: ${message}` : `${name} must be ${NOUNS[expected] ?? `a ${expected}`}`;
}
