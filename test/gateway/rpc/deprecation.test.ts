// Every response of a deprecated method says so, in every protocol. If its options break the policy, the server does not start.
import { clone, create, createFileRegistry, type DescMethod, type DescService, setExtension } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { DeprecationSchema, deprecation } from "../../../gen/quintet/options/v1/options_pb.js";
import { deprecationHeaders } from "../../../src/gateway/rpc/method.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { createStack } from "../../fixtures/stack.ts";

interface Marks {
  readonly deprecated: boolean;
  readonly days?: { readonly since: string; readonly sunset: string };
}

// The contract of Farkle, with its method marked as deprecated.
function farkleWith({ deprecated, days }: Marks): DescService {
  const file = clone(FileDescriptorProtoSchema, FarkleService.file.proto);
  const method = file.service[0]?.method[0];
  const options = method?.options ?? create(MethodOptionsSchema);
  options.deprecated = deprecated;
  if (days !== undefined) {
    setExtension(options, deprecation, create(DeprecationSchema, days));
  }
  const dependencies = new Map(FarkleService.file.dependencies.map((dependency) => [dependency.name, dependency]));
  const registry = createFileRegistry(file, (name) => dependencies.get(name.replace(/\.proto$/, "")) ?? ("skip" as never));
  return registry.getService(FarkleService.typeName) as DescService;
}

const methodOf = (marks: Marks): DescMethod => farkleWith(marks).methods[0] as DescMethod;
const DAYS = { since: "2027-01-01", sunset: "2028-01-01" };

test.each([
  [{ deprecated: true }, "must be set together"],
  [{ deprecated: false, days: DAYS }, "must be set together"],
  [{ deprecated: true, days: { since: "2027-01-01", sunset: "soon" } }, "must be days such as 2027-01-01"],
  [{ deprecated: true, days: { since: "2027-13-01", sunset: "2028-01-01" } }, "must be days such as 2027-01-01"],
  [{ deprecated: true, days: { since: "2027-01-01", sunset: "2027-12-31" } }, "at least 12 months after since"],
])("the options %j are refused", (marks, fault) => {
  expect(() => deprecationHeaders(methodOf(marks))).toThrow(fault);
});

test("a method that is not deprecated has no such header", () => {
  expect(deprecationHeaders(methodOf({ deprecated: false }))).toEqual({});
});

test.each([
  ["REST, refused", "GET", "/farkle/v1/score?dice=1", undefined],
  ["Connect, refused", "POST", "/quintet.farkle.v1.FarkleService/Score", "application/json"],
  ["gRPC-Web, refused", "POST", "/quintet.farkle.v1.FarkleService/Score", "application/grpc-web+proto"],
])("over %s, the response says when it was deprecated and how long it will work", async (_, method, path, contentType) => {
  const desc = farkleWith({ deprecated: true, days: DAYS });
  const refusal = { admitted: false, problem: { reason: "KEY_MISSING", message: "Send your API key." } } as const;
  const implementation = { score: () => ({}) } as unknown as ServiceImpl<DescService>;
  const service = { name: "farkle", desc, implementation, close: async () => {} } as const;
  const clock = createManualClock({ nowMs: 0 });
  const stack = createStack({ services: [service], guard: { admit: () => refusal }, clock, log: createLog("silent") });
  onTestFinished(() => stack.close());
  const { port } = await stack.listen("127.0.0.1", 0);
  const headers = contentType === undefined ? {} : { "content-type": contentType };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  expect([response.headers.get("deprecation"), response.headers.get("sunset")]).toEqual([
    "@1798761600",
    "Sat, 01 Jan 2028 00:00:00 GMT",
  ]);
});
