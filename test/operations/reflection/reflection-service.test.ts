import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, createFileRegistry, fromBinary, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.js";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import {
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../../gen/grpc/reflection/v1/reflection_pb.js";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { DescriptorIndex } from "../../../src/operations/reflection/descriptor-index.ts";
import { createReflectionHandlers } from "../../../src/operations/reflection/reflection-service.ts";
import { StreamSlots } from "../../../src/operations/stream-slots.ts";
import { loadContracts } from "../../../src/services/registry.ts";
import { ROOT } from "../../fixtures/root.ts";

type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]>;

const SERVICES = [...(await loadContracts()), AccountService, OperatorService, Health];
const INDEX = new DescriptorIndex(SERVICES, [file_google_rpc_error_details]);
const filesOf = (set: Uint8Array) => fromBinary(FileDescriptorSetSchema, set).file;
// The committed set is for customers, without the operators' service.
const BUILT = execFileSync(
  join(ROOT, "node_modules/.bin/buf"),
  ["build", ".", "--path", "proto/quintet/operator", "--as-file-descriptor-set", "--exclude-source-info", "-o", "-"],
  { cwd: ROOT },
);
const COMMITTED = [
  ...filesOf(readFileSync(join(ROOT, "gen/quintet.binpb"))),
  ...filesOf(BUILT).filter(({ name }) => name.startsWith("quintet/operator/")),
];

const slots = (): StreamSlots => new StreamSlots({ inAllMax: 1, perNetworkMax: 1 });
const context = { values: { get: () => "192.0.2.1" } } as unknown as HandlerContext;

// The responses of one stream.
async function send(questions: readonly (Question | undefined)[], streams = slots()): Promise<ServerReflectionResponse[]> {
  const requests = (async function* (): AsyncGenerator<ServerReflectionRequest> {
    for (const messageRequest of questions) {
      yield create(ServerReflectionRequestSchema, { host: "here", messageRequest: messageRequest ?? { case: undefined } });
    }
  })();
  const responses: ServerReflectionResponse[] = [];
  for await (const response of createReflectionHandlers(INDEX, streams).serverReflectionInfo(requests, context)) {
    responses.push(create(ServerReflectionResponseSchema, response));
  }
  return responses;
}

// The paths of the files in each response, or its other content.
async function seen(...questions: (Question | undefined)[]): Promise<unknown[]> {
  const responses = await send(questions);
  return responses.map(({ messageResponse: { case: kind, value } }) => {
    switch (kind) {
      case "fileDescriptorResponse":
        return value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
      case "errorResponse":
        return { code: value.errorCode, message: value.errorMessage };
      case "allExtensionNumbersResponse":
        return { type: value.baseTypeName, numbers: value.extensionNumber };
      default:
        return kind;
    }
  });
}

const FARKLE = "quintet/farkle/v1/farkle.proto";
const symbol = (value: string): Question => ({ case: "fileContainingSymbol", value });
const file = (value: string): Question => ({ case: "fileByFilename", value });
const extension = (containingType: string, extensionNumber: number): Question => ({
  case: "fileContainingExtension",
  value: { containingType, extensionNumber },
});
const numbers = (value: string): Question => ({ case: "allExtensionNumbersOfType", value });

describe("a file", () => {
  test.each([
    ["its path", file(FARKLE)],
    ["a service", symbol("quintet.farkle.v1.FarkleService")],
    ["a method", symbol("quintet.farkle.v1.FarkleService.Score")],
    ["a message", symbol("quintet.farkle.v1.ScoreRequest")],
    ["a name with a dot before it", symbol(".quintet.farkle.v1.ScoreRequest")],
    ["a field", symbol("quintet.farkle.v1.ScoreRequest.dice")],
    ["an enum", symbol("quintet.farkle.v1.Combination")],
    ["a value of an enum", symbol("quintet.farkle.v1.COMBINATION_SINGLE_ONE")],
  ])("is found by %s, and comes first, followed by everything that it imports", async (_, question) => {
    expect(await seen(question)).toEqual([
      [
        FARKLE,
        "buf/validate/validate.proto",
        "google/api/annotations.proto",
        "quintet/options/v1/options.proto",
        "google/protobuf/descriptor.proto",
        "google/protobuf/duration.proto",
        "google/protobuf/field_mask.proto",
        "google/protobuf/timestamp.proto",
        "google/api/http.proto",
      ],
    ]);
  });

  test("is sent once in a stream, unless it is requested again", async () => {
    const again = await seen(file(FARKLE), file(FARKLE), symbol("google.api.http"), symbol("google.rpc.ErrorInfo"));
    expect(again.slice(1)).toEqual([[FARKLE], ["google/api/annotations.proto"], ["google/rpc/error_details.proto"]]);
  });

  // Protobuf's own files come from the library, which leaves out what only generators read.
  const published = COMMITTED.filter(({ name }) => INDEX.fileByName(name) !== undefined && !name.startsWith("google/protobuf/"));
  test.each(published.map((each) => [each.name, each] as const))("with the path %s is the published one", (path, committed) => {
    const found = INDEX.fileByName(path);
    const served = found && fromBinary(FileDescriptorProtoSchema, INDEX.encoded(found));
    expect(served && toJson(FileDescriptorProtoSchema, served)).toEqual(toJson(FileDescriptorProtoSchema, committed));
  });

  test.each(SERVICES.map(({ typeName }) => typeName))("with %s is complete together with the files after it", async (name) => {
    const responses = await send([symbol(name)]);
    const files = responses
      .map(({ messageResponse }) => messageResponse)
      .flatMap(({ case: kind, value }) => (kind === "fileDescriptorResponse" ? value.fileDescriptorProto : []))
      .map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
    // The library needs a file's imports before the file.
    const ordered = new Set<FileDescriptorProto>();
    const add = (file: FileDescriptorProto): void => {
      for (const imported of files.filter(({ name: path }) => file.dependency.includes(path))) {
        add(imported);
      }
      ordered.add(file);
    };
    add(files[0] as FileDescriptorProto);
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...ordered] }));
    expect(ordered.size).toBe(files.length);
    expect(registry.getService(name)?.typeName).toBe(name);
  });
});

describe("extensions", () => {
  test("are found by their message and number", async () => {
    const responses = await seen(extension("google.protobuf.MethodOptions", 50_001));
    expect(responses).toEqual([["quintet/options/v1/options.proto", "google/protobuf/descriptor.proto"]]);
  });

  test("are listed by their message; a message without any has an empty list", async () => {
    expect(await seen(numbers("google.protobuf.MethodOptions"), numbers("quintet.farkle.v1.ScoreRequest"))).toEqual([
      { type: "google.protobuf.MethodOptions", numbers: [50_001, 50_007, 50_009, 50_010, 72_295_728] },
      { type: "quintet.farkle.v1.ScoreRequest", numbers: [] },
    ]);
  });
});

test("all services are listed, in alphabetical order", async () => {
  const [response] = await send([{ case: "listServices", value: "" }]);
  expect(response?.messageResponse).toMatchObject({
    case: "listServicesResponse",
    value: { service: SERVICES.map(({ typeName: name }) => ({ name })).sort((a, b) => (a.name < b.name ? -1 : 1)) },
  });
});

test("an unknown name gets an error response, and the stream continues", async () => {
  const unknown = (what: string): object => ({ code: 5, message: `${what} is not known here.` });
  expect(
    await seen(
      file("quintet/nothing.proto"),
      symbol("quintet.Nothing"),
      extension("quintet.farkle.v1.ScoreRequest", 7),
      numbers("quintet.Nothing"),
      undefined,
      file("google/api/http.proto"),
    ),
  ).toEqual([
    unknown('The file "quintet/nothing.proto"'),
    unknown('The symbol "quintet.Nothing"'),
    unknown('The extension 7 of "quintet.farkle.v1.ScoreRequest"'),
    unknown('The type "quintet.Nothing"'),
    { code: 3, message: "The request is empty: message_request must be set." },
    ["google/api/http.proto"],
  ]);
});

test("a response repeats its request", async () => {
  const [response] = await send([file("nothing.proto")]);
  expect([response?.validHost, response?.originalRequest]).toEqual([
    "here",
    create(ServerReflectionRequestSchema, { host: "here", messageRequest: file("nothing.proto") }),
  ]);
});

describe("the streams of a caller", () => {
  test("have a limited number of requests", async () => {
    const questions = (count: number): Question[] => Array.from({ length: count }, () => file("nothing.proto"));
    expect(await send(questions(500))).toHaveLength(500);
    await expect(send(questions(501))).rejects.toThrow("One stream accepts 500 requests; open another.");
  });

  test("are limited in number, and make room for the next one however they end", async () => {
    const streams = slots();
    await send([file("nothing.proto")], streams);
    await expect(
      send(
        Array.from({ length: 501 }, () => undefined),
        streams,
      ),
    ).rejects.toThrow("One stream accepts 500 requests; open another.");
    expect(await send([file("nothing.proto")], streams)).toHaveLength(1);
    streams.take("192.0.2.1");
    await expect(send([], streams)).rejects.toThrow("Your network already has 1 streams without a key open");
  });
});
