// The form of a method comes from its descriptor. Its input becomes the message and a link, and can be restored from both.
import { createRegistry, type FileRegistry, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type FormField, fieldsOf } from "../../../portal/app/console/form/fields.ts";
import { hashOf, linkOf, readHash, readLink } from "../../../portal/app/console/form/link.ts";
import { type FormValues, jsonOf, messageOf, valuesOf } from "../../../portal/app/console/form/values.ts";
import { EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";
import { CONTRACT, formOf, methodAt } from "./contract.ts";

const shown = ({ name, kind, isList, isOptional, isRequired, choices, bounds, pattern, byDefault, isUnixSeconds }: FormField) => ({
  name,
  kind,
  ...(isList && { isList }),
  ...(isOptional && { isOptional }),
  ...(isRequired && { isRequired }),
  ...(choices.length > 0 && { choices: choices.length }),
  ...(bounds !== "" && { bounds }),
  ...(pattern !== undefined && { pattern }),
  ...(byDefault !== undefined && { byDefault }),
  ...(isUnixSeconds && { isUnixSeconds }),
});

const everything = fieldsOf(CONTRACT.rules, EverythingSchema);

describe("The form", () => {
  test.each([
    ["farkle/score", [{ name: "dice", kind: "integer", isList: true, isRequired: true, bounds: "1 to 6 values, each 1 to 6" }]],
    [
      "radio/search-stations",
      [
        { name: "name", kind: "text", bounds: "at most 200 characters" },
        { name: "country", kind: "text", bounds: "at most 100 characters" },
        { name: "countrycode", kind: "text", pattern: "^([A-Za-z]{2})?$" },
        { name: "language", kind: "text", bounds: "at most 100 characters" },
        { name: "tag", kind: "text", bounds: "at most 100 characters" },
        { name: "codec", kind: "text", bounds: "at most 40 characters" },
        { name: "order", kind: "choice", choices: 20 },
        { name: "reverse", kind: "boolean", byDefault: "false" },
        { name: "limit", kind: "integer", isOptional: true, bounds: "1 to 100", byDefault: "20" },
        { name: "offset", kind: "integer", bounds: "0 to 100000", byDefault: "0" },
        { name: "bitrate_min", kind: "integer", isOptional: true, bounds: "0 to 10000" },
        { name: "bitrate_max", kind: "integer", isOptional: true, bounds: "0 to 10000" },
        { name: "https_only", kind: "boolean", byDefault: "false" },
        { name: "has_geo", kind: "boolean", isOptional: true },
        { name: "state", kind: "text", bounds: "at most 100 characters" },
        { name: "include_broken", kind: "boolean", byDefault: "false" },
        { name: "query", kind: "text", bounds: "at most 200 characters" },
        { name: "tag_exact", kind: "boolean", byDefault: "false" },
        { name: "language_exact", kind: "boolean", byDefault: "false" },
        { name: "distinct", kind: "boolean", byDefault: "false" },
        { name: "geo_lat", kind: "number", isOptional: true, bounds: "-90 to 90" },
        { name: "geo_long", kind: "number", isOptional: true, bounds: "-180 to 180" },
        { name: "geo_distance", kind: "integer", isOptional: true, bounds: "1 to 1000000" },
      ],
    ],
    [
      "token-price/get-historical-prices",
      [
        {
          name: "tokens",
          kind: "text",
          isList: true,
          isRequired: true,
          bounds: "1 to 100 values, each at most 200 characters",
          pattern: "^\\s*[A-Za-z0-9][A-Za-z0-9_-]{0,39}:[!-+.-~-]([ -+.-~-]{0,126}[!-+.-~-])?\\s*$",
        },
        {
          name: "timestamp",
          kind: "integer",
          isOptional: true,
          isRequired: true,
          bounds: "at least 1230768000",
          isUnixSeconds: true,
        },
        { name: "min_confidence", kind: "number", isOptional: true, bounds: "0 to 1" },
        { name: "match", kind: "choice", choices: 2, byDefault: "at_or_before" },
        { name: "precision", kind: "integer", isOptional: true, bounds: "1 to 17" },
      ],
    ],
    ["radio/get-station", [{ name: "uuid", kind: "text", isRequired: true, bounds: "a UUID" }]],
    [
      "bitcoin/get-history",
      [
        { name: "indicator", kind: "choice", isRequired: true, choices: 4 },
        { name: "days", kind: "integer", isOptional: true, bounds: "1 to 3650", byDefault: "365" },
        { name: "from_day", kind: "text", isOptional: true, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
        { name: "to_day", kind: "text", isOptional: true, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
        { name: "precision", kind: "integer", isOptional: true, bounds: "1 to 17" },
      ],
    ],
    ["bitcoin/get-mayer", [{ name: "precision", kind: "integer", isOptional: true, bounds: "1 to 17" }]],
  ])("of %s has each field with its kind, bounds and default", (slug, expected) => {
    expect(formOf(slug).map(shown)).toEqual(expected);
  });

  test("has an input for every kind of field, and a JSON input for kinds that have none", () => {
    const kinds = new Map(everything.map(({ name, kind, isList, oneof }) => [name, [kind, isList, oneof ?? ""].join(" ").trim()]));
    expect(Object.fromEntries(kinds)).toMatchObject({
      double_value: "number false",
      uint64_value: "integer false",
      bytes_value: "bytes false",
      color: "choice false",
      nested: "message false",
      optional_bool: "boolean false",
      color_list: "choice true",
      leaf_list: "json true",
      time_list: "time true",
      string_map: "json false",
      choice_text: "text false choice",
      choice_leaf: "message false choice",
      duration: "duration false",
      struct: "json false",
      int64_wrapper: "integer false",
      empty: "json false",
    });
    expect(kinds.size).toBe(EverythingSchema.fields.length);
  });

  test("opens messages inside messages, however deep they nest", () => {
    const nested = everything.find(({ name }) => name === "nested");
    const inner = nested?.children().find(({ name }) => name === "nested");
    expect(inner?.children().length).toBe(everything.length);
  });
});

describe("What is typed into the form", () => {
  const registry = createRegistry(EverythingSchema) as unknown as FileRegistry;
  const values: FormValues = {
    double_value: ["-1.5e3"],
    int64_value: ["9223372036854775807"],
    sint32_value: ["-7"],
    bool_value: ["true"],
    string_value: [`it's "quoted", \\ and 日本`],
    bytes_value: ["AQI="],
    color: ["COLOR_RED"],
    "nested.nested": [""],
    optional_string: ["x"],
    int32_list: ["1", "-2"],
    string_list: ["a,b", ""],
    leaf_list: ['[{"name":"n"}]'],
    string_map: ['{"k":"v"}'],
    choice_number: ["0"],
    time: ["2026-11-21T12:00:00Z"],
    duration: ["1.5s"],
    int64_wrapper: ["5"],
  };
  const json: JsonObject = {
    double_value: -1500,
    int64_value: "9223372036854775807",
    sint32_value: -7,
    bool_value: true,
    string_value: `it's "quoted", \\ and 日本`,
    bytes_value: "AQI=",
    color: "COLOR_RED",
    nested: { nested: {} },
    optional_string: "x",
    int32_list: [1, -2],
    string_list: ["a,b"],
    leaf_list: [{ name: "n" }],
    string_map: { k: "v" },
    choice_number: 0,
    time: "2026-11-21T12:00:00Z",
    duration: "1.5s",
    int64_wrapper: 5,
  };

  test("becomes the message as JSON, and is restored from it", () => {
    expect(jsonOf(everything, values)).toEqual(json);
    expect("message" in messageOf(EverythingSchema, everything, json, registry)).toBe(true);
    expect(valuesOf(everything, json)).toEqual({ ...values, double_value: ["-1500"], string_list: ["a,b"] });
  });

  test("is restored from a link, with values that the method has no field for", () => {
    const link = linkOf(values) ?? "";
    expect(readLink(everything, link)).toEqual({ values, unknown: [] });
    expect(readLink(everything, `${link}&nested.none=1&colour=red`)).toEqual({ values, unknown: ["nested.none", "colour"] });
  });

  test("has no link if that would be too long for browsers or contain a key, and an empty one if nothing is given", () => {
    expect([linkOf({ a: ["x".repeat(9000)] }), linkOf({ a: ["b", " qk_live_0123"] }), linkOf({})]).toEqual([
      undefined,
      undefined,
      "",
    ]);
  });

  test("is restored from a link together with how it is sent", () => {
    const ways = [
      { protocol: "connect", isDryRun: true },
      { protocol: "rest", isDryRun: false },
    ];
    expect(ways.map(hashOf)).toEqual(["#connect&dry-run", "#rest"]);
    expect(ways.map((way) => readHash(hashOf(way)))).toEqual(ways);
    expect(readHash("")).toEqual({ protocol: "", isDryRun: false });
  });

  test("is kept unchanged if it is not a number, and reported if protobuf cannot represent it", () => {
    const wrong = jsonOf(everything, { int32_value: ["many"], int32_list: ["1", "2.5"], uint32_value: ["-1"], color: ["RED"] });
    expect(wrong).toEqual({ int32_value: "many", int32_list: [1, "2.5"], uint32_value: -1, color: "RED" });
    const created = messageOf(EverythingSchema, everything, wrong, registry);
    expect("faults" in created && created.faults.map(({ field }) => field)).toEqual([
      "int32_value",
      "uint32_value",
      "color",
      "int32_list[1]",
    ]);
    const two = messageOf(EverythingSchema, everything, { choice_text: "a", choice_number: 1 }, registry);
    expect(two).toEqual({ faults: [{ field: "", description: "sets two fields of the same oneof" }] });
  });
});

test("every sample call fits into its form and is restored from a link", () => {
  for (const { slug, sample, desc } of CONTRACT.methods) {
    const fields = formOf(slug);
    const values = valuesOf(fields, sample as JsonObject);
    expect(jsonOf(fields, readLink(fields, linkOf(values) ?? "").values)).toEqual(sample);
    expect("message" in messageOf(desc.input, fields, sample as JsonObject, CONTRACT.registry)).toBe(true);
  }
  expect([CONTRACT.methods.length, methodAt("quintet.farkle.v1.FarkleService/Score").slug]).toEqual([30, "farkle/score"]);
});
