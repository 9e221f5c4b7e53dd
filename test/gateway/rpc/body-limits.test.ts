// The longest body that each protocol accepts, not counting what frames and base64 add. One byte more is too long.
import { describe, expect, onTestFinished, test } from "vitest";
import { dialHttp2, fetchHttp2 } from "../../../packages/http/test/listening.ts";
import { createLog } from "../../../src/runtime/log.ts";
import type { DataService } from "../../../src/services/service.ts";
import { createStack } from "../../fixtures/stack.ts";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";
import { createScene } from "../../guard/scene.ts";

// With a frame's head, a multiple of three, so that base64 has no padding.
const BODY_BYTES_MAX = 100;

// JSON of this many bytes.
const jsonOf = (bytes: number): Buffer => Buffer.from(`{"stringValue":"${"a".repeat(bytes - 18)}"}`);

function framed(message: Buffer): Buffer {
  const frame = Buffer.alloc(5 + message.byteLength);
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, 5);
  return frame;
}

const protocols: Readonly<Record<string, { readonly wrap: (message: Buffer) => Buffer }>> = {
  "application/json": { wrap: (message) => message },
  "application/grpc+json": { wrap: framed },
  "application/grpc-web+json": { wrap: framed },
  "application/grpc-web-text+json": { wrap: (message) => Buffer.from(framed(message).toString("base64")) },
};

async function outcome(type: string, body: Buffer): Promise<string> {
  const scene = createScene();
  const { guard, clock } = scene;
  const service = {
    name: "radio",
    desc: LibraryService,
    implementation: { echo: (input: object) => input },
    close: async () => {},
  };
  const listener = createStack({
    services: [service as unknown as DataService],
    guard,
    clock,
    log: createLog("silent"),
    messageLimits: { bodyBytesMax: BODY_BYTES_MAX, messageBytesMax: 2 * BODY_BYTES_MAX, allowsGzip: true, isCallerKnown: true },
  });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", 0);
  const head = {
    ":method": "POST",
    ":path": `/${LibraryService.typeName}/Echo`,
    "content-type": type,
    "x-gateway-key": scene.key.secret,
  };
  const response = await fetchHttp2(dialHttp2(port), head, body);
  const grpcStatus = response.headers["grpc-status"] ?? response.trailers?.["grpc-status"];
  if (response.status === 429 || grpcStatus === "8") {
    return "too long";
  }
  const text = type.includes("web-text") ? Buffer.from(response.body, "base64").toString() : response.body;
  return text.includes("aaa") ? "taken" : `${response.status} ${grpcStatus}`;
}

describe.each(Object.entries(protocols))("%s", (type, { wrap }) => {
  test.each([
    { bytes: BODY_BYTES_MAX, expected: "taken" },
    { bytes: BODY_BYTES_MAX + 1, expected: "too long" },
  ])("of $bytes bytes", async ({ bytes, expected }) => {
    const message = jsonOf(bytes);
    expect(message.byteLength).toBe(bytes);
    expect(await outcome(type, wrap(message))).toBe(expected);
  });
});
