// The official SDK's own client, connected to a gateway's MCP endpoint.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** The two generations of the protocol: one with a handshake, one with the version in each message. */
export const GENERATIONS = [
  { generation: "2025-11-25, with its handshake", mode: "legacy" },
  { generation: "2026-07-28, without one", mode: { pin: "2026-07-28" } },
] as const;

type Mode = (typeof GENERATIONS)[number]["mode"];

/** Connects a client that sends these headers. Rejects if it is refused. */
export async function connectClient(origin: string, headers: Readonly<Record<string, string>>, mode: Mode): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", origin), { requestInit: { headers: { ...headers } } }));
  return client;
}
