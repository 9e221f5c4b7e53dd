// Media types in headers, and whether a caller accepts JSON. Preferences between two formats are tested in test/system/streams.
import { describe, expect, test } from "vitest";
import { acceptsJson, mediaTypeOf } from "../../src/gateway/media-type.ts";

describe("the media type of", () => {
  test.each([
    [undefined, ""],
    ["", ""],
    ["application/json", "application/json"],
    ["Application/JSON", "application/json"],
    [" application/json ", "application/json"],
    ["application/json; charset=utf-8", "application/json"],
    ["application/json;charset=utf-8", "application/json"],
    ["application/grpc+proto ; a=b; c=d", "application/grpc+proto"],
    [";", ""],
  ])("%j", (header, expected) => {
    expect(mediaTypeOf(header)).toBe(expected);
  });
});

describe("whether JSON is accepted:", () => {
  test.each([
    [undefined, true],
    ["", true],
    ["*/*", true],
    ["application/json", true],
    ["APPLICATION/JSON", true],
    ["application/json; charset=utf-8", true],
    ["application/json;indent=2;q=0.5", true],
    ["application/*", true],
    ["text/html, */*;q=0.1", true],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
    ["application/json;q=0.001", true],
    ["application/json;q=0", false],
    ["application/json;q=0, */*", false],
    ["application/*;q=0, application/json", true],
    ["*/*;q=0", false],
    ["text/html", false],
    ["application/jsonl", false],
    ["text/*", false],
  ])("%j", (header, expected) => {
    expect(acceptsJson(header)).toBe(expected);
  });
});
