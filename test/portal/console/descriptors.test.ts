// The descriptors that the console loads: those of methods and errors, with every rule that a form shows, but without the account
// services.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { readContract } from "../../../portal/app/console/contract/contract.ts";
import { type FormField, fieldsOf } from "../../../portal/app/console/form/fields.ts";
import { consoleDescriptors } from "../../../portal/build/console-descriptors.ts";
import { CONSOLE_METHODS } from "../../../portal/content/console.ts";
import { ROOT } from "../../fixtures/root.ts";
import { CONTRACT } from "./contract.ts";

test("They contain the services that it calls, the details of errors, and what these import", () => {
  const { file } = fromBinary(FileDescriptorSetSchema, consoleDescriptors(CONSOLE_METHODS));
  expect(file.map(({ name }) => name).toSorted()).toEqual([
    "buf/validate/validate.proto",
    "google/api/annotations.proto",
    "google/api/http.proto",
    "google/protobuf/any.proto",
    "google/protobuf/descriptor.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/field_mask.proto",
    "google/protobuf/timestamp.proto",
    "google/rpc/error_details.proto",
    "google/rpc/status.proto",
    "quintet/bitcoin/v1/bitcoin.proto",
    "quintet/farkle/v1/farkle.proto",
    "quintet/options/v1/options.proto",
    "quintet/radio/v1/radio.proto",
    "quintet/tokenlist/v1/token_list.proto",
    "quintet/tokenprice/v1/token_price.proto",
  ]);
});

const PUBLISHED = readContract(readFileSync(join(ROOT, "gen/quintet.binpb")), CONSOLE_METHODS);

test.each(CONSOLE_METHODS)("$slug has the form, path and response of the published descriptors", ({ slug }) => {
  const shown = (contract: typeof CONTRACT): unknown => {
    const method = contract.find(slug);
    const fields = method === undefined ? [] : fieldsOf(contract.registry, method.desc.input);
    const { isStream, isIdempotent, restPath, restResponseField } = method ?? {};
    return { fields: fields.map(plain), isStream, isIdempotent, restPath, restResponseField };
  };
  expect(shown(CONTRACT)).toEqual(shown(PUBLISHED));
  expect(CONTRACT.find(slug)?.restPath).toMatch(/^\/[\w-]+\/v1\//);
});

// Without fields specific to one registry.
const plain = ({ desc: _, children, ...rest }: FormField): unknown => ({ ...rest, children: children().map(plain) });
