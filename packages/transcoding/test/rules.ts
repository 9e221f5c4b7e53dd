// Methods with HTTP rules that a test makes up, without a proto.
import { createFileRegistry, type DescMethod, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** A rule: an HTTP method and a template, such as `GET /v1/{x}`, and which fields are the bodies. */
export interface MadeUpRule {
  readonly rule: string;
  readonly body?: string;
  readonly responseBody?: string;
}

const METHOD_FIELDS: Readonly<Record<string, number>> = { GET: 2, PUT: 3, POST: 4, DELETE: 5, PATCH: 6 };
const CUSTOM = 8;

/** One method for each rule. Their request has the string fields that the templates name at their top level, and those of `more`. */
export function methodsOf(rules: readonly MadeUpRule[], more: readonly object[] = []): readonly DescMethod[] {
  const named = new Set(rules.flatMap(({ rule }) => Array.from(rule.matchAll(/\{(\w+)/g), ([, name = ""]) => name)));
  for (const field of more) {
    named.delete((field as { name: string }).name);
  }
  const jsonName = (name: string): string => name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
  const strings = [...named].map((name) => ({ name, jsonName: jsonName(name), type: "TYPE_STRING" }));
  const field = [...strings, ...more].map((one, index) => ({
    label: "LABEL_OPTIONAL",
    jsonName: (one as { name: string }).name,
    ...one,
    number: index + 1,
  }));
  const sub = ["subfield", "text"].map((name, index) => ({
    name,
    jsonName: name,
    number: index + 1,
    label: "LABEL_OPTIONAL",
    type: "TYPE_STRING",
  }));
  const file = {
    name: "made/up.proto",
    package: "made.up",
    syntax: "proto3",
    messageType: [
      { name: "Request", field },
      { name: "Sub", field: sub },
    ],
    service: [
      {
        name: "MadeUp",
        method: rules.map((_, index) => ({ name: `M${index}`, inputType: ".made.up.Request", outputType: ".made.up.Request" })),
      },
    ],
  };
  const set = fromJson(FileDescriptorSetSchema, { file: [file] } as unknown as JsonValue);
  const methods = createFileRegistry(set).getService("made.up.MadeUp")?.methods ?? [];
  for (const [index, method] of methods.entries()) {
    const option = { no: 72295728, wireType: WireType.LengthDelimited, data: optionOf(rules[index] as MadeUpRule) };
    (method as { proto: { options: unknown } }).proto.options = { $typeName: "google.protobuf.MethodOptions", $unknown: [option] };
  }
  return methods;
}

function optionOf({ rule, body, responseBody }: MadeUpRule): Uint8Array<ArrayBuffer> {
  const [httpMethod = "", path = ""] = rule.split(" ");
  const writer = new BinaryWriter().fork();
  const text = (field: number, value: string) => writer.tag(field, WireType.LengthDelimited).string(value);
  const known = METHOD_FIELDS[httpMethod];
  if (known === undefined) {
    writer.tag(CUSTOM, WireType.LengthDelimited).fork();
    text(1, httpMethod);
    text(2, path);
    writer.join();
  } else {
    text(known, path);
  }
  if (body !== undefined) {
    text(7, body);
  }
  if (responseBody !== undefined) {
    text(12, responseBody);
  }
  return writer.join().finish();
}
