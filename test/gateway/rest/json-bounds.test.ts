// The depth of JSON and its number of values are checked before it is parsed, whatever its strings contain.
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { jsonDepthMax, jsonExcess } from "@quintet/transcoding";
import { describe, expect, test } from "vitest";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";

const DEEPER = "nests deeper than 3 levels";
const MORE = "has more than 1000 values";

describe("checks a string", () => {
  test.each([
    ["as deep as is allowed", '[[["a"]], {"a": [1]}]', undefined],
    ["one level deeper", "[[[[", DEEPER],
    ["deeper in objects", '{"a":{"b":[{}]}}', DEEPER],
    ["with brackets in strings", '["[[[[", "{{{{", "\\"[[[[", "\\\\", []]', undefined],
    ["with brackets after a string that ends in a backslash", '["\\\\", [[[', DEEPER],
    ["with a string that does not end", '["[[[[\\', undefined],
    ["with as many values as are allowed", `[${"1,".repeat(998)}1]`, undefined],
    ["with one value more", `[${"1,".repeat(999)}1]`, MORE],
    ["with many empty lists", `[${"[]".repeat(1000)}]`, MORE],
    ["with commas in strings", `["${",".repeat(20_000)}"]`, undefined],
    ["with more closing than opening brackets", `${"]".repeat(100)}[[[[`, undefined],
    ["of nothing", "", undefined],
  ])("%s", (_, text, excess) => {
    expect(jsonExcess(Buffer.from(text), 3)).toBe(excess);
  });
});

test("a message's JSON may nest four levels deeper than its fields, and at most 64 where it contains free JSON", () => {
  const { signIn } = SignInService.method;
  const { score } = FarkleService.method;
  expect([signIn.input, score.input, StructSchema].map(jsonDepthMax)).toEqual([6, 6, 64]);
});
