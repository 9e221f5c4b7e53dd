// Compares the protos with the contract as it was released, whose image is in proto/released.binpb. What would break a caller who was
// written against that is a fault, without exceptions: to buf's own rules this adds REST paths, bounds and defaults, which are options to
// buf. Run with `--write` to release the contract as it is now.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  createFileRegistry,
  type DescField,
  type DescMethod,
  fromBinary,
  getOption,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { FieldRulesSchema, field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { http } from "../gen/google/api/annotations_pb.js";
import type { HttpRule } from "../gen/google/api/http_pb.js";
import { default_value } from "../gen/quintet/options/v1/options_pb.js";

/** Where the image of the released contract is. */
const RELEASED = "proto/released.binpb";
const BUF = resolve("node_modules/.bin/buf");
const OUTPUT = { maxBuffer: 64 * 1024 * 1024, encoding: "utf8" } as const;

/** Writes an image of the protos in `folder`, without its comments. */
export function writeImage(folder: string, path: string): void {
  execFileSync(BUF, ["build", "proto", "--exclude-source-info", "-o", path], { cwd: folder });
}

/** What callers of the contract in the image `released` would notice about the protos in `folder`, one line each. */
export function contractBreaks(folder: string, released: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync(BUF, ["breaking", "proto", "--against", released], { ...OUTPUT, cwd: folder });
  if (status !== 0 && stdout === "") {
    throw new Error(stderr);
  }
  const directory = mkdtempSync(join(tmpdir(), "contract-"));
  try {
    const now = join(directory, "now.binpb");
    writeImage(folder, now);
    return [...stdout.split("\n").filter((line) => line !== ""), ...optionBreaks(promisesOf(released), promisesOf(now))];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What options promise: REST bindings by method, and the default and the rules of each field. */
interface Promises {
  readonly bindings: ReadonlyMap<string, readonly string[]>;
  readonly fields: ReadonlyMap<string, { readonly byDefault: string; readonly rules: ReadonlyMap<string, JsonValue> }>;
}

function promisesOf(image: string): Promises {
  const bindings = new Map<string, readonly string[]>();
  const fields = new Map<string, { byDefault: string; rules: Map<string, JsonValue> }>();
  for (const desc of createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(image)))) {
    if (desc.kind === "service" && desc.typeName.startsWith("quintet.")) {
      for (const method of desc.methods) {
        bindings.set(`${desc.typeName}/${method.name}`, bindingsOf(method));
      }
    } else if (desc.kind === "message" && desc.typeName.startsWith("quintet.")) {
      for (const field of desc.fields) {
        fields.set(`${desc.typeName}.${field.name}`, { byDefault: getOption(field, default_value), rules: rulesOf(field) });
      }
    }
  }
  return { bindings, fields };
}

function bindingsOf(method: DescMethod): string[] {
  const rule = getOption(method, http);
  const text = ({ pattern, body, responseBody }: HttpRule): string =>
    [pattern.case?.toUpperCase(), String(pattern.value), body && `body ${body}`, responseBody && `response ${responseBody}`]
      .filter((part) => part !== "")
      .join(" ");
  return rule.pattern.case === undefined ? [] : [rule, ...rule.additionalBindings].map(text);
}

/** `repeated.maxItems` → 6. */
function rulesOf(field: DescField): Map<string, JsonValue> {
  const rules = new Map<string, JsonValue>();
  const collect = (path: string, value: JsonValue): void => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value)) {
        collect(path === "" ? name : `${path}.${name}`, inner);
      }
    } else {
      rules.set(path, value);
    }
  };
  collect("", toJson(FieldRulesSchema, getOption(field, fieldRules)));
  return rules;
}

function optionBreaks(released: Promises, now: Promises): string[] {
  const missing = [...released.bindings].flatMap(([method, bindings]) =>
    bindings
      .filter((binding) => !now.bindings.get(method)?.includes(binding))
      .map((binding) => `${method} no longer has ${binding}`),
  );
  const changed = [...released.fields].flatMap(([name, before]) => {
    const after = now.fields.get(name);
    if (after === undefined) {
      return [];
    }
    const byDefault = before.byDefault === after.byDefault ? [] : [`${name}: default ${before.byDefault} → ${after.byDefault}`];
    const rules = [...after.rules].filter(([rule, value]) => isTighter(rule, before.rules.get(rule), value));
    return [...byDefault, ...rules.map(([rule, value]) => `${name}: ${rule} ${before.rules.get(rule) ?? "none"} → ${value}`)];
  });
  return [...missing, ...changed];
}

/** Whether a rule refuses what it accepted before. */
function isTighter(rule: string, before: JsonValue | undefined, after: JsonValue): boolean {
  const name = rule.split(".").at(-1) ?? "";
  if (before === undefined) {
    return after !== false;
  }
  if (/^(lte?|max)/.test(name)) {
    return Number(after) < Number(before);
  }
  if (/^(gte?|min)/.test(name)) {
    return Number(after) > Number(before);
  }
  if (name === "in" && Array.isArray(before) && Array.isArray(after)) {
    return before.some((value) => !after.includes(value));
  }
  return JSON.stringify(before) !== JSON.stringify(after);
}

if (import.meta.main) {
  if (process.argv.includes("--write")) {
    writeImage(".", RELEASED);
  } else if (existsSync(RELEASED)) {
    const breaks = contractBreaks(".", RELEASED);
    process.stdout.write(breaks.map((line) => `${line}\n`).join(""));
    process.exitCode = breaks.length === 0 ? 0 : 1;
  }
}
