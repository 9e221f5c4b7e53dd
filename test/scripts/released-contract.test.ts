import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contractBreaks, writeImage } from "../../scripts/released-contract.ts";
import { makeTemporaryDirectory } from "../fixtures/temporary-directory.ts";

const directory = makeTemporaryDirectory();
const released = join(directory.path, "released.binpb");

beforeAll(() => {
  for (const path of ["proto", "third_party", "test/proto", "buf.yaml"]) {
    cpSync(path, join(directory.path, path), { recursive: true });
  }
  writeImage(directory.path, released);
});

afterAll(() => directory.remove());

/** What breaks if a file of the contract has `after` in place of `before`. */
function breaksOf(file: string, before: string, after: string): readonly string[] {
  const path = join(directory.path, "proto/quintet", file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(before);
  writeFileSync(path, text.replace(before, after));
  try {
    return contractBreaks(directory.path, released);
  } finally {
    writeFileSync(path, text);
  }
}

const RADIO = "radio/v1/radio.proto";
const FARKLE = "farkle/v1/farkle.proto";
const LIST_CODECS = /\n {2}rpc ListCodecs[\s\S]*?\n {2}\}\n/.exec(readFileSync(`proto/quintet/${RADIO}`, "utf8"))?.[0] ?? "";

test.each([
  ["a method that is deleted", RADIO, LIST_CODECS, "", "ListCodecs"],
  ["a number that becomes text", "tokenlist/v1/token_list.proto", "int32 decimals = 3;", "string decimals = 3;", "decimals"],
  ["another path", FARKLE, 'get: "/farkle/v1/score"', 'get: "/farkle/v1/scores"', "GET /farkle/v1/score"],
  ["fewer dice", FARKLE, "max_items: 6", "max_items: 2", "repeated.maxItems 6 → 2"],
  ["another default", RADIO, 'default_value) = "20"', 'default_value) = "30"', "default 20 → 30"],
  [
    "a bound where there was none",
    FARKLE,
    "bool farkle = 2;",
    "bool farkle = 2 [(buf.validate.field).required = true];",
    "required",
  ],
])("%s breaks callers", (_, file, before, after, told) => {
  expect(breaksOf(file, before, after).join("\n")).toContain(told);
});

test.each([
  ["nothing", FARKLE, "", ""],
  ["another comment", FARKLE, "// A roll to score.", "// The roll to score."],
  ["a wider bound", FARKLE, "max_items: 6", "max_items: 7"],
  ["a new field", FARKLE, "  int32 score = 1;", "  int32 score = 1;\n  // New.\n  int32 rolls = 60;"],
])("%s does not", (_, file, before, after) => {
  expect(breaksOf(file, before, after)).toEqual([]);
});
