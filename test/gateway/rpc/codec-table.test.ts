// Which content types a method accepts, and by which codec.
import { describe, expect, test } from "vitest";
import { createCodecTable } from "../../../src/gateway/rpc/codec-table.ts";
import type { Method } from "../../../src/gateway/rpc/method.ts";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";

const method = { desc: LibraryService.method.search } as unknown as Method;
const namesOf = (codecs: ReadonlyMap<string, { readonly protocolName: string }>): Record<string, string> =>
  Object.fromEntries(Array.from(codecs, ([type, { protocolName }]) => [type, protocolName]));

const POST = {
  "application/proto": "connect",
  "application/json": "connect",
  "application/grpc": "grpc",
  "application/grpc+proto": "grpc",
  "application/grpc+json": "grpc",
  "application/grpc-web": "grpc-web",
  "application/grpc-web+proto": "grpc-web",
  "application/grpc-web+json": "grpc-web",
  "application/grpc-web-text": "grpc-web",
  "application/grpc-web-text+proto": "grpc-web",
  "application/grpc-web-text+json": "grpc-web",
};

describe("a method", () => {
  test.each([
    { name: "without side effects may be called by GET", mayGet: true, get: { proto: "connect", json: "connect" } },
    { name: "with side effects may not", mayGet: false, get: {} },
  ])("$name", ({ mayGet, get }) => {
    const table = createCodecTable(method, mayGet);
    expect({ post: namesOf(table.post), get: namesOf(table.get) }).toEqual({ post: POST, get });
  });
});
