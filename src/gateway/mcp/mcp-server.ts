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
import { SERVICE_NAMES, SERVICES } from "../../catalogue/service-names.ts";
import { nearestName } from "../../runtime/nearest-name.ts";
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
  readonly contentType: string | undefined;
  readonly body: string;
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
    const request = new Request(URL_OF_ENDPOINT, { method: "POST", headers: context.headers });
    contexts.set(request, context);
    const response = await handler.fetch(request, { parsedBody: context.message });
    return { status: response.status, contentType: response.headers.get("content-type") ?? undefined, body: await response.text() };
  };
}
