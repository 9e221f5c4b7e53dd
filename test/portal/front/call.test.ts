// A call of the front page is sent as the page shows it, and its response is shown as it came: its status line, headers and bytes.
import { describe, expect, test } from "vitest";
import { BYTES_MAX, callFront } from "../../../portal/front/call.ts";
import { FRONT_REQUESTS, type FrontRequest } from "../../../portal/front/requests.ts";

interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}

// Calls a server that returns this response.
async function call(name: string, response: Response, alpn?: string) {
  const sent: Sent[] = [];
  let nowMs = 0;
  const came = await callFront(FRONT_REQUESTS[name] as FrontRequest, "qk_test_1", {
    fetch: async (path, init = {}) => {
      sent.push({ path: String(path), init });
      return response;
    },
    nowMs: () => {
      nowMs += 40;
      return nowMs;
    },
    signal: new AbortController().signal,
    alpnOf: () => alpn,
  });
  return { sent, came };
}

describe("A call of the front page", () => {
  test("exists for each service in each protocol that browsers can send", () => {
    expect(Object.keys(FRONT_REQUESTS)).toEqual(
      ["farkle", "token-price", "radio"].flatMap((service) =>
        ["REST", "Connect", "gRPC-Web"].map((protocol) => `${service} ${protocol}`),
      ),
    );
  });

  test("is sent with the key and without cookies", async () => {
    const { sent, came } = await call("farkle gRPC-Web", new Response(null), "h2");
    const [{ path, init } = { path: "", init: {} }] = sent;
    expect({ path, ...init, signal: undefined }).toEqual({
      path: "/quintet.farkle.v1.FarkleService/Score",
      method: "POST",
      headers: { "content-type": "application/grpc-web+proto", "x-gateway-key": "qk_test_1" },
      body: Uint8Array.from([0, 0, 0, 0, 8, 10, 6, 1, 1, 1, 5, 2, 3]),
      credentials: "omit",
      signal: undefined,
    });
    expect(came).toEqual({ text: "HTTP/2 200\n", ms: 40, isDecompressed: false });
  });

  test.each([
    { alpn: "h3", version: "HTTP/3" },
    { alpn: "http/1.1", version: "HTTP/1.1" },
    { alpn: "", version: "HTTP" },
    { alpn: undefined, version: "HTTP" },
  ])("over $alpn shows $version", async ({ alpn, version }) => {
    const { came } = await call("farkle REST", new Response(null, { status: 204 }), alpn);
    expect(came.text).toBe(`${version} 204\n`);
  });

  test("says that its response was decompressed", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const { came } = await call("radio REST", new Response("{}", { headers }), "h2");
    expect([came.isDecompressed, came.text.includes("content-encoding: gzip")]).toEqual([true, true]);
  });

  test("shows a refusal with its headers", async () => {
    const headers = { "content-type": "application/json", "retry-after": "7", ratelimit: '"second";r=0;t=7' };
    const { came } = await call("farkle REST", new Response('{"status":"error"}', { status: 429, headers }), "h2");
    expect(came.text).toBe(
      'HTTP/2 429\ncontent-type: application/json\nratelimit: "second";r=0;t=7\nretry-after: 7\n\n{ "status": "error" }',
    );
  });

  test("shows all bytes of frames", async () => {
    const headers = { "content-type": "application/grpc-web+proto" };
    const { came } = await call("farkle gRPC-Web", new Response(new Uint8Array(120).fill(0x41), { headers }), "h2");
    expect(came.text.match(/41 41 41 41 41 41 41 41 41 41 41 41 {3}AAAAAAAAAAAA/g)).toHaveLength(10);
  });

  test("shows what is not JSON unchanged, although the server says that it is", async () => {
    const headers = { "content-type": "application/json" };
    const { came } = await call("farkle REST", new Response("<h1>Bad gateway</h1>", { status: 502, headers }), "h2");
    expect(came.text).toContain("\n\n<h1>Bad gateway</h1>");
  });

  test("reads only the start of an endless response", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(0x78)),
      cancel() {
        isCancelled = true;
      },
    });
    const { came } = await call("farkle Connect", new Response(body, { headers: { "content-type": "application/json" } }), "h2");
    expect({ length: came.text.split("\n\n")[1]?.length, isCancelled }).toEqual({ length: BYTES_MAX, isCancelled: true });
  });
});
