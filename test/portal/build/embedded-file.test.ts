// The descriptors that browsers load: they describe the same messages as the generated code.
import {
  create,
  type DescField,
  type DescFile,
  type DescMessage,
  fromBinary,
  fromJson,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import type { GenFile } from "@bufbuild/protobuf/codegenv2";
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_duration,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  StructSchema,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.js";
import { file_quintet_account_v1_account } from "../../../gen/quintet/account/v1/account_pb.js";
import { ListKeysResponseSchema } from "../../../gen/quintet/account/v1/key_pb.js";
import { file_quintet_bitcoin_v1_bitcoin } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { file_quintet_farkle_v1_farkle } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { file_quintet_operator_v1_operator } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { file_quintet_radio_v1_radio } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { file_quintet_tokenlist_v1_token_list } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { file_quintet_tokenprice_v1_token_price } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { embeddedFile } from "../../../portal/api/embedded-file.ts";
import { compactFile } from "../../../portal/build/compact-file.ts";

const FILES = [
  file_google_protobuf_duration,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_rpc_error_details,
  file_quintet_account_v1_account,
  file_quintet_bitcoin_v1_bitcoin,
  file_quintet_farkle_v1_farkle,
  file_quintet_operator_v1_operator,
  file_quintet_radio_v1_radio,
  file_quintet_tokenlist_v1_token_list,
  file_quintet_tokenprice_v1_token_price,
];

// As generated, before the library restores the names in JSON and the files that it depends on.
const asGenerated = (file: DescFile) => {
  const proto = fromBinary(FileDescriptorProtoSchema, toBinary(FileDescriptorProtoSchema, file.proto));
  const drop = (messages: typeof proto.messageType): void => {
    for (const { field, nestedType } of messages) {
      for (const one of field.filter((one) => one.jsonName === camelCase(one.name))) {
        one.jsonName = "";
      }
      drop(nestedType);
    }
  };
  drop(proto.messageType);
  return proto;
};
const camelCase = (name: string): string => name.replace(/_+(.)/g, (_, letter: string) => letter.toUpperCase());

const embed = (file: DescFile): GenFile => embeddedFile(compactFile(asGenerated(file)), file.dependencies.map(embedOnce));
const embedded = new Map<string, GenFile>();
function embedOnce(file: DescFile): GenFile {
  const known = embedded.get(file.name);
  // A file that only declares options is not loaded, and nothing in it is referred to.
  const result = known ?? (/options|validate|annotations|descriptor/.test(file.name) ? (file as GenFile) : embed(file));
  embedded.set(file.name, result);
  return result;
}

const typeOf = (field: DescField): readonly unknown[] => [
  field.name,
  field.localName,
  field.jsonName,
  field.number,
  field.fieldKind,
  field.fieldKind === "list" ? field.listKind : undefined,
  field.fieldKind === "map" ? `${field.mapKey} ${field.mapKind}` : undefined,
  field.scalar,
  field.message?.typeName,
  field.enum?.typeName,
  field.oneof?.name,
  field.presence,
  "longAsString" in field ? field.longAsString : undefined,
  field.fieldKind === "list" ? field.packed : undefined,
  field.utf8Validation,
  "delimitedEncoding" in field ? field.delimitedEncoding : undefined,
  "getDefaultValue" in field ? field.getDefaultValue?.() : undefined,
];

const messagesOf = (messages: DescFile["messages"]): readonly unknown[] =>
  messages.map(({ typeName, fields, nestedMessages, nestedEnums, oneofs }) => [
    typeName,
    fields.map(typeOf),
    messagesOf(nestedMessages),
    enumsOf(nestedEnums),
    oneofs.map(({ name, fields }) => [name, fields.map((field) => field.name)]),
  ]);
const enumsOf = (enums: DescFile["enums"]): readonly unknown[] =>
  enums.map(({ typeName, values, sharedPrefix, open }) => [
    typeName,
    sharedPrefix,
    open,
    values.map(({ name, number, localName }) => [name, number, localName]),
  ]);
const servicesOf = (services: DescFile["services"]): readonly unknown[] =>
  services.map(({ typeName, methods }) => [
    typeName,
    methods.map(({ name, localName, methodKind, input, output }) => [name, localName, methodKind, input.typeName, output.typeName]),
  ]);
const shapeOf = (file: DescFile) => ({
  name: file.name,
  edition: file.edition,
  messages: messagesOf(file.messages),
  enums: enumsOf(file.enums),
  services: servicesOf(file.services),
});

describe.each(FILES.map((file) => ({ name: file.name, file })))("$name", ({ file }) => {
  test("has the same messages, fields, enums and methods", () => {
    expect(shapeOf(embedOnce(file))).toEqual(shapeOf(file));
    expect(file.messages.length).toBeGreaterThan(0);
  });
});

// Maps, oneofs, lists and recursive messages; then lists of messages, times, enums, 64-bit numbers and optional fields.
test.each([
  [StructSchema, fromJson(StructSchema, { a: 1, b: [true, null, { c: "ö" }], d: {} })],
  [
    ListKeysResponseSchema,
    create(ListKeysResponseSchema, { results: [{ id: "k-1", state: 2, createdAt: { seconds: 5n }, services: ["radio"] }, {}] }),
  ],
] as const)("messages are written and read as with the generated code: %s", (schema: DescMessage, message: Message) => {
  const own = embedOnce(schema.file).messages.find(({ typeName }) => typeName === schema.typeName) as DescMessage;
  const bytes = toBinary(schema, message);
  expect(toBinary(own, fromBinary(own, bytes))).toEqual(bytes);
  expect(bytes.length).toBeGreaterThan(10);
  expect(toJson(own, fromBinary(own, bytes))).toEqual(toJson(schema, message));
  expect(create(own)).toEqual(create(schema));
});

test("the error for a file that the form cannot express names the file", () => {
  const proto = asGenerated(file_google_protobuf_timestamp);
  proto.syntax = "proto2";
  expect(() => compactFile(proto)).toThrow("google/protobuf/timestamp.proto: only proto3 files without extensions can be embedded");
});
