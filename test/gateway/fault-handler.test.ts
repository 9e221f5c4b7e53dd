// The transport's refusals are sent in the caller's own protocol.
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";

const ID = "0d9f6b0e-6d0e-4a53-8a38-0c1c4c2f5c11";
const RPC = "/quintet.farkle.v1.FarkleService/Score";
const MESSAGE = "A request may have at most 100 headers, and at most 16 KiB of them in total.";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response to these bytes. */
async function responseTo(bytes: string): Promise<Response> {
  const socket = connect(gateway.port, "127.0.0.1");
  socket.write(bytes, "latin1");
  const response = await text(socket);
  const [head = "", body = ""] = response.split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  return { status: Number(line.slice(9, 12)), headers: Object.fromEntries(lines.map((one) => one.split(": "))), body };
}

/** A request whose headers are too long. */
const tooLong = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, "host: a", `x-request-id: ${ID}`, ...headers, `x-long: ${"x".repeat(16_384)}`, "", ""].join("\r\n");

const envelope = (status: number, reason: string, code: string, message: string) => ({
  status,
  type: "application/json; charset=utf-8",
  sniffing: "nosniff",
  body: expect.objectContaining({ message, status: "error", error: expect.objectContaining({ reason, code }) }),
});

describe("the response to headers over the limit", () => {
  test.each([
    {
      protocol: "REST",
      sent: tooLong("GET /farkle/v1/score?dice=1"),
      response: envelope(431, "HEADERS_TOO_LARGE", "RESOURCE_EXHAUSTED", MESSAGE),
    },
    {
      protocol: "Connect",
      sent: tooLong(`POST ${RPC}`, "content-type: application/json"),
      response: {
        status: 429,
        type: "application/json",
        body: expect.objectContaining({ code: "resource_exhausted", message: MESSAGE }),
      },
    },
    {
      protocol: "Connect's streams",
      sent: tooLong("POST /quintet.tokenprice.v1.TokenPriceService/WatchPrices", "content-type: application/connect+json"),
      response: {
        status: 200,
        type: "application/connect+json",
        body: { error: expect.objectContaining({ code: "resource_exhausted", message: MESSAGE }) },
      },
    },
  ])("is in the format of $protocol", async ({ sent, response }) => {
    const { status, headers, body } = await responseTo(sent);
    const json: unknown = JSON.parse(body.slice(body.indexOf("{")));
    const sniffing = headers["x-content-type-options"];
    expect({ status, type: headers["content-type"], body: json, ...(sniffing !== undefined && { sniffing }) }).toEqual(response);
    expect([headers["x-request-id"], headers.connection]).toEqual([ID, "close"]);
  });

  test("is in the format of gRPC-Web", async () => {
    const { status, headers } = await responseTo(tooLong(`POST ${RPC}`, "content-type: application/grpc-web+proto"));
    expect({ status, code: headers["grpc-status"], message: decodeURIComponent(headers["grpc-message"] ?? "") }).toEqual({
      status: 200,
      code: "8",
      message: MESSAGE,
    });
  });
});

test.each([
  {
    what: "what is not a request",
    sent: "GARBAGE\r\n\r\n",
    reason: "MALFORMED_REQUEST",
    code: "INVALID_ARGUMENT",
    status: 400,
  },
  {
    what: "a tunnel",
    sent: "CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n",
    reason: "METHOD_NOT_ALLOWED",
    code: "UNIMPLEMENTED",
    status: 405,
  },
])("$what gets a response in the envelope", async ({ sent, reason, code, status }) => {
  const response = await responseTo(sent);
  const { "content-type": type, "x-content-type-options": sniffing } = response.headers;
  expect({ status: response.status, type, sniffing, body: JSON.parse(response.body) }).toEqual(
    envelope(status, reason, code, expect.any(String) as unknown as string),
  );
});

test("a page of another origin may read why it was refused", async () => {
  const { headers } = await responseTo(tooLong("GET /farkle/v1/score?dice=1", "origin: https://page.example"));
  expect(headers["access-control-allow-origin"]).toBe("*");
});
