// Messages as bytes. A wrong message is refused with the name of the field, but without the caller's value.
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Form, parseMessage, writeMessage } from "../../../src/gateway/rpc/message.ts";
import { jsonOptionsOf, type Method } from "../../../src/gateway/rpc/method.ts";
import type { Failure } from "../../../src/problem/failure.ts";
import type { DataService } from "../../../src/services/service.ts";
import { EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";

const method = {
  desc: LibraryService.method.echo,
  jsonOptions: jsonOptionsOf([{ desc: LibraryService } as unknown as DataService]),
} as unknown as Method;

const malformed = (message: string) => ({ reason: "MALFORMED_REQUEST", message });
const BINARY = malformed("The request is not a valid quintet.testing.v1.Everything in binary protobuf.");
const notJson = (what: string) => malformed(`The request is not valid JSON: ${what}.`);
const wrong = (field: string, mustBe: string) => ({
  reason: "INVALID_ARGUMENT",
  message: `${field} must be ${mustBe}`,
  violations: [{ field, description: `must be ${mustBe}` }],
});
const INT32 = "a whole number from -2147483648 to 2147483647";

describe("a malformed message is refused:", () => {
  test.each<[string, Form, Uint8Array, object]>([
    ["cut short", "proto", Buffer.from([0x0a]), BINARY],
    ["no field", "proto", Buffer.from([0x00]), BINARY],
    ["not UTF-8 in a string", "proto", Buffer.from([0x72, 1, 0xff]), BINARY],
    ["empty", "json", Buffer.from(""), notJson("expected a value at line 1, column 1")],
    ["not JSON", "json", Buffer.from("{"), notJson("expected a key in double quotes at line 1, column 2")],
    [
      "a comma too many",
      "json",
      Buffer.from('{"int32Value":5,\n}'),
      notJson("expected a key in double quotes at line 2, column 1"),
    ],
    ["a list", "json", Buffer.from("[]"), malformed("The request must be a JSON object, not an array.")],
    ["a number", "json", Buffer.from("5"), malformed("The request must be a JSON object, not 5.")],
    ["nothing", "json", Buffer.from("null"), malformed("The request must be a JSON object, not null.")],
    ["not UTF-8", "json", Buffer.from('{"stringValue":"\u00e9"}', "latin1"), malformed("The request's JSON is not valid UTF-8.")],
    ["a string for a number", "json", Buffer.from('{"int32Value":"a secret"}'), wrong("int32_value", INT32)],
    ["a number for a string", "json", Buffer.from('{"stringValue":5}'), wrong("string_value", "a string")],
    ["a number that is too large", "json", Buffer.from('{"int32Value":4294967296}'), wrong("int32_value", INT32)],
    ["a string for a boolean", "json", Buffer.from('{"boolValue":"yes"}'), wrong("bool_value", "true or false")],
  ])("%s in %s", (_, form, bytes, expected) => {
    let problem: unknown;
    try {
      parseMessage(method, form, bytes);
    } catch (thrown) {
      ({ problem } = thrown as Failure);
    }
    const { cause, ...told } = problem as { cause?: unknown };
    expect({ told, hasCause: cause instanceof Error }).toEqual({ told: expected, hasCause: true });
  });
});

describe("a message", () => {
  const message = create(EverythingSchema, { int32Value: 5, stringValue: "naïve ☃", int64Value: 2n ** 60n });

  test.each<Form>(["proto", "json"])("is the same after %s and back", (form) => {
    expect(parseMessage(method, form, writeMessage(method, form, message))).toEqual(message);
  });

  test("is written as proto JSON", () => {
    expect(Buffer.from(writeMessage(method, "json", message)).toString()).toBe(
      '{"int32Value":5,"int64Value":"1152921504606846976","stringValue":"naïve ☃"}',
    );
  });

  test.each<[string, Form, Uint8Array]>([
    ["fields that are not known", "proto", Buffer.from([0x18, 5, 0xc0, 0x3e, 1])],
    ["the proto's names", "json", Buffer.from('{"int32_value":5}')],
    ["a byte order mark", "json", Buffer.from('\ufeff{"int32Value":5}')],
  ])("may have %s in %s", (_, form, bytes) => {
    const parsed = parseMessage(method, form, bytes);
    expect(parsed).toMatchObject({ int32Value: 5 });
    // Unknown fields are skipped, and not kept.
    expect(parsed.$unknown).toBeUndefined();
  });

  test.each([
    ["a name twice", '{"int32Value":1,"int32Value":2}', "int32_value", "is given twice"],
    ["a field by both of its names", '{"int32Value":1,"int32_value":2}', "int32_value", "is given twice"],
    ["a misspelt field", '{"int32Value":5,"colour":1}', "colour", 'is an unknown field; did you mean "color"?'],
    ["an unknown value of an enum", '{"int32Value":5,"color":"PINK"}', "color", /^must be one of/],
  ])("may not have %s in json", (_, json, field, description) => {
    const violation = { field, description: typeof description === "string" ? description : expect.stringMatching(description) };
    expect(() => parseMessage(method, "json", Buffer.from(json))).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ reason: "INVALID_ARGUMENT", violations: [violation] }) }),
    );
  });

  test("may not have more values than any message needs", () => {
    expect(() => parseMessage(method, "proto", new Uint8Array(261_000).fill(0x78))).toThrow("has more than 1000 values");
  });
});
