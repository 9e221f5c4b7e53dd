// The contract that the console loads: the descriptors of methods and errors, with everything that a form shows, but without the account
// services, comments and options.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createFileRegistry, type DescField, type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { rulesOf as restRulesOf } from "@quintet/transcoding";
import { expect, test } from "vitest";
import { fullNameOf, NO_RULES } from "../../../portal/app/console/contract/field-rules.ts";
import { fieldsOf } from "../../../portal/app/console/form/fields.ts";
import { consoleContract } from "../../../portal/build/console-contract.ts";
import { rulesOf as fieldRulesOf } from "../../../portal/build/field-rules.ts";
import { CONSOLE_METHODS } from "../../../portal/content/console.ts";
import { ROOT } from "../../fixtures/root.ts";
import { CONTRACT } from "./contract.ts";

const FILE = consoleContract(CONSOLE_METHODS);
const PUBLISHED = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(join(ROOT, "gen/quintet.binpb"))));

test("It has the files of the services that it calls, of the details of errors, and of what these need", () => {
  expect(FILE.files.map(([name]) => name).toSorted()).toEqual([
    "google/protobuf/any.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/timestamp.proto",
    "google/rpc/error_details.proto",
    "google/rpc/status.proto",
    "quintet/bitcoin/v1/bitcoin.proto",
    "quintet/common/v1/chain.proto",
    "quintet/common/v1/freshness.proto",
    "quintet/farkle/v1/farkle.proto",
    "quintet/radio/v1/radio.proto",
    "quintet/tokenlist/v1/token_list.proto",
    "quintet/tokenprice/v1/token_price.proto",
  ]);
});

test("It has every method that the site documents", () => {
  expect(CONTRACT.methods.map(({ slug }) => slug)).toEqual(CONSOLE_METHODS.map(({ slug }) => slug));
});

test("It has only rules that say something", () => {
  const said = Object.values(FILE.rules).flatMap((rules) => Object.entries(rules));
  expect(said.filter(([name, value]) => !(name in NO_RULES) || isDeepStrictEqual(value, NO_RULES[name as "bounds"]))).toEqual([]);
  expect(Object.values(FILE.rules).filter((rules) => Object.keys(rules).length === 0)).toEqual([]);
});

test.each(CONTRACT.methods)("$slug is as in the published descriptors", ({ rpc, desc, ...method }) => {
  const [service = "", name] = rpc.split("/");
  const published = PUBLISHED.getService(service)?.methods.find((one) => one.name === name);
  if (published === undefined) {
    throw new Error(`${rpc} is not published`);
  }
  const [rest] = restRulesOf(published);
  const { verb, restPath, restResponseField, isStream, isIdempotent } = method;
  expect({ verb, restPath, restResponseField, isStream, isIdempotent }).toEqual({
    verb: rest?.httpMethod,
    restPath: rest?.template.source,
    restResponseField: rest?.responseBody,
    isStream: published.methodKind === "server_streaming",
    isIdempotent: published.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS && published.methodKind === "unary",
  });
  expect(shapes(desc.input)).toEqual(shapes(published.input));
  expect(shapes(desc.output)).toEqual(shapes(published.output));
  // The form's own choices for an enum are the names of its values.
  expect(fieldsOf(CONTRACT.rules, desc.input).map(({ bounds, isRequired, pattern }) => ({ bounds, isRequired, pattern }))).toEqual(
    published.input.fields
      .map((field) => fieldRulesOf(PUBLISHED, field))
      .map(({ bounds, isRequired, pattern }) => ({ bounds, isRequired, pattern })),
  );
});

// Each field in a message and in the messages in it: its name, number, name in JSON, and type.
function shapes(message: DescMessage): ReadonlyMap<string, readonly unknown[]> {
  const known = new Map<string, readonly unknown[]>();
  const add = ({ fields }: DescMessage): void => {
    for (const field of fields.filter((one) => !known.has(fullNameOf(one)))) {
      known.set(fullNameOf(field), shapeOf(field));
      if (field.message !== undefined) {
        add(field.message);
      }
    }
  };
  add(message);
  return known;
}

const shapeOf = (field: DescField): readonly unknown[] => [
  field.number,
  field.jsonName,
  field.fieldKind,
  field.presence,
  field.scalar ?? field.message?.typeName ?? field.enum?.values.map(({ name, number }) => [name, number]),
  field.oneof?.name,
];
