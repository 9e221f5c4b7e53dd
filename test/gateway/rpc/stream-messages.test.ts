// The error message of a stream as it is sent: escaped if the protocol needs it, and not otherwise.
import { gunzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { dialHttp2, fetchHttp2 } from "../../../packages/http/test/listening.ts";
import type { DataService } from "../../../src/services/service.ts";
import { createStack } from "../../fixtures/stack.ts";
import { createScene, credentialOf, radioPlan } from "../../guard/scene.ts";

const TOKENS = Buffer.from("coingecko:bitcoin");
const MESSAGE = Buffer.from([0, 0, 0, 0, TOKENS.length + 2, 10, TOKENS.length, ...TOKENS]);

const webTextOf = (body: Buffer): Buffer =>
  Buffer.concat((body.toString().match(/[^=]+=*/g) ?? []).map((part) => Buffer.from(part, "base64")));

/** The trailers in the last frame of a gRPC-Web response. */
function trailerFrame(body: Buffer): string {
  let at = 0;
  while (((body[at] ?? 0x80) & 0x80) === 0) {
    at += 5 + body.readUInt32BE(at + 1);
  }
  const data = body.subarray(at + 5);
  expect(body.readUInt32BE(at + 1)).toBe(data.length);
  return ((body[at] ?? 0) & 1) === 0 ? data.toString() : gunzipSync(data).toString();
}

interface Sent {
  readonly type: string;
  readonly encoding?: string;
}

/** The `grpc-message` of a stream that ends with an error with this text, after its first message or before it. */
async function sentBy({ type, encoding }: Sent, message: string, messages: number): Promise<string | undefined> {
  const scene = createScene({ plans: [{ ...radioPlan("free", 100), service: "token-price" }] });
  scene.change(credentialOf({ subscription: { service: "token-price" } }));
  const service: DataService<typeof TokenPriceService> = {
    name: "token-price",
    desc: TokenPriceService,
    implementation: {
      async *watchPrices() {
        for (let count = 0; count < messages; count += 1) {
          yield { results: [] };
        }
        throw new ConnectError(message, Code.DataLoss);
      },
    } as never,
    close: async () => {},
  };
  const { guard, clock, log } = scene;
  const listener = createStack({ services: [service], guard, clock, log });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", 0);
  const path = `/${TokenPriceService.typeName}/WatchPrices`;
  const key = { "x-gateway-key": scene.key.secret };
  if (type.startsWith("application/grpc+")) {
    const received = await fetchHttp2(dialHttp2(port), { ":method": "POST", ":path": path, "content-type": type, ...key }, MESSAGE);
    return String(received.trailers?.["grpc-message"] ?? received.headers["grpc-message"]);
  }
  const isText = type.includes("-text");
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": type, ...key, ...(encoding !== undefined && { "grpc-accept-encoding": encoding }) },
    body: isText ? MESSAGE.toString("base64") : MESSAGE,
  });
  const body = Buffer.from(await response.arrayBuffer());
  return /^grpc-message: (.*)\r$/m.exec(trailerFrame(isText ? webTextOf(body) : body))?.[1];
}

const LONG = "Prices, all of them; ".repeat(100);

describe.each<Sent>([
  { type: "application/grpc+proto" },
  { type: "application/grpc-web+proto" },
  { type: "application/grpc-web-text+proto" },
  { type: "application/grpc-web+proto", encoding: "gzip" },
])("over $type, $encoding,", (sent) => {
  test.each([
    ["words and punctuation", 'plain words; (they) stay, "all" of them!', 'plain words; (they) stay, "all" of them!'],
    ["what must be escaped", "100% of naïve\r\nlines", "100%25 of na%C3%AFve%0D%0Alines"],
    ["blanks at its ends", " blanks ", "%20blanks%20"],
    ["more than is sent uncompressed", LONG, LONG.replace(/ $/, "%20")],
  ])("%s", async (_, message, expected) => {
    expect([await sentBy(sent, message, 0), await sentBy(sent, message, 1)]).toEqual([expected, expected]);
  });
});

test.each([
  ["application/grpc+proto", "grpc-encoding"],
  ["application/grpc-web+proto", "grpc-encoding"],
  ["application/connect+proto", "connect-content-encoding"],
])("a stream of %s in an unknown coding is refused, and not charged", async (type, header) => {
  const scene = createScene({ plans: [{ ...radioPlan("free", 100), service: "token-price" }] });
  scene.change(credentialOf({ subscription: { service: "token-price" } }));
  const service: DataService<typeof TokenPriceService> = {
    name: "token-price",
    desc: TokenPriceService,
    implementation: { watchPrices: () => expect.unreachable() } as never,
    close: async () => {},
  };
  const { guard, clock, log } = scene;
  const listener = createStack({ services: [service], guard, clock, log });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", 0);
  const path = `/${TokenPriceService.typeName}/WatchPrices`;
  const head = { ":method": "POST", ":path": path, "content-type": type, [header]: "br", "x-gateway-key": scene.key.secret };
  const { headers, body } = await fetchHttp2(dialHttp2(port), head, MESSAGE);
  expect(`${headers["grpc-message"]} ${body}`).toContain("The request's compression is not supported; use gzip, identity or none.");
  const decision = await scene.admit({ service: "token-price" });
  expect(decision.admitted && decision.limits?.monthRemaining).toBe(99);
});
