// The contract that the console loads: the descriptors of the services that it calls and of error details, with everything that they need,
// in the form in which browsers load all descriptors. What their options say is read here, because the options and the files that declare
// them are larger than everything else together.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createFileRegistry, type DescField, type DescMessage, fromBinary, getOption } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ContractFile, MethodOptions } from "../app/console/contract/contract.ts";
import { type FieldRules, fullNameOf, NO_RULES } from "../app/console/contract/field-rules.ts";
import { compactFile } from "./compact-file.ts";
import { extensionOf, rulesOf } from "./field-rules.ts";
import { isOptionFile } from "./slim-descriptors.ts";

const PUBLISHED = join(import.meta.dirname, "../../gen/quintet.binpb");
const ERROR_FILES = ["google/rpc/status.proto", "google/rpc/error_details.proto"];

interface HttpRule {
  readonly responseBody: string;
}

/** The contract of methods such as `quintet.radio.v1.RadioService/SearchStations`. */
export function consoleContract(methods: readonly { readonly rpc: string }[]): ContractFile {
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(PUBLISHED));
  const registry = createFileRegistry(set);
  const http = extensionOf(registry, "google.api.http");
  const options: Record<string, MethodOptions> = {};
  const rules: Record<string, Partial<FieldRules>> = {};
  for (const { rpc } of methods) {
    const [service = "", name] = rpc.split("/");
    const method = registry.getService(service)?.methods.find((one) => one.name === name);
    if (method === undefined) {
      throw new Error(`${rpc} is not in gen/quintet.binpb`);
    }
    options[rpc] = {
      isIdempotent: method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS && method.methodKind === "unary",
      restResponseField: (getOption(method, http) as unknown as HttpRule).responseBody,
    };
    for (const field of fieldsIn(method.input)) {
      const changed = Object.entries(rulesOf(registry, field)).filter(
        ([name, value]) => !isDeepStrictEqual(value, NO_RULES[name as keyof FieldRules]),
      );
      if (changed.length > 0) {
        rules[fullNameOf(field)] = Object.fromEntries(changed);
      }
    }
  }
  return { files: neededFiles(set.file, methods).map(compactFile), options, rules };
}

// The fields of a message and of the messages in it.
function fieldsIn(message: DescMessage): readonly DescField[] {
  const messages = new Set([message]);
  // Iterating over a set also visits what is added in the meantime.
  for (const one of messages) {
    for (const { message: inner } of one.fields) {
      if (inner !== undefined) {
        messages.add(inner);
      }
    }
  }
  return [...messages].flatMap(({ fields }) => fields);
}

function neededFiles(
  files: readonly FileDescriptorProto[],
  methods: readonly { readonly rpc: string }[],
): readonly FileDescriptorProto[] {
  const services = new Set(methods.map(({ rpc }) => rpc.split("/")[0]));
  const declares = (file: FileDescriptorProto): boolean => file.service.some(({ name }) => services.has(`${file.package}.${name}`));
  const needed = new Set([...ERROR_FILES, ...files.filter(declares).map(({ name }) => name)]);
  for (const name of needed) {
    for (const imported of files.find((file) => file.name === name)?.dependency.filter((one) => !isOptionFile(one)) ?? []) {
      needed.add(imported);
    }
  }
  return files.filter(({ name }) => needed.has(name));
}
