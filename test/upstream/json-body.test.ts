import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UpstreamFault } from "../../src/upstream/fault.ts";
import { parseJsonBody } from "../../src/upstream/json-body.ts";

const never = new AbortController().signal;
const parse = (text: string, valuesMax = 1_000_000): Promise<unknown> => parseJsonBody(Buffer.from(text), valuesMax, never);
const notJson = new UpstreamFault("body", "the body is not JSON");

const list = (count: number, element: string): string => `[${new Array(count).fill(element).join(",")}]`;
const row = JSON.stringify({
  name: 'a "b" \\ {[,]}: é 🎵',
  tags: ["x", "y"],
  at: -1.5e-3,
  none: null,
  yes: true,
  inner: { a: [] },
});

describe("a large body is parsed to the same value as by JSON.parse", () => {
  test.each<[string, string]>([
    ["a list of rows", list(4000, row)],
    ["an object with a long list", `{"name":"n","rows":${list(4000, row)},"last":[1]}`],
    ["blanks around everything", ` \n[ ${new Array(4000).fill(` ${row}\t`).join(" , ")} ]\r\n`],
    ["a row larger than a slice, between small ones", `[${row},{"a":${list(30_000, '"ten bytes!"')},"b":1},${row}]`],
    ["a row larger than a slice, at the end", `[1,${list(200_000, "[]")}]`],
    ["strings of the maximum length", list(6, `"${"\\\\é,]".repeat(10_000)}"`)],
    ["names that are special", `{"__proto__":${list(40_000, "1234567")},"constructor":1,"\\u0061":2}`],
    ["a name twice: the last counts", `{"a":${list(40_000, "1234567")},"a":3}`],
    ["an empty list with many blanks", `[${" ".repeat(300_000)}]`],
    ["an empty object with many blanks", `{${" ".repeat(300_000)}}`],
    ["a number with many blanks", `${" ".repeat(300_000)}7`],
    ["a name with a colon and an escaped quote", `{"a\\":b":${list(40_000, "1234567")}}`],
  ])("%s", async (_, text) => {
    expect(text.length).toBeGreaterThan(256 * 1024);
    expect(await parse(text)).toEqual(JSON.parse(text));
  });

  test("any value, surrounded by others", async () => {
    const padding = list(60_000, "12345");
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const text = `[${JSON.stringify(value)},${padding},{"a":${JSON.stringify(value)},"b":${padding}}]`;
        expect(JSON.stringify(await parse(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 20 },
    );
  });
});

describe("invalid JSON is refused, however large", () => {
  const long = list(60_000, "12345").slice(1, -1);
  test.each<[string, string]>([
    ["cut short", `[${long}`],
    ["cut within a string", `[${long},"abc`],
    ["with a comma too many", `[${long},]`],
    ["with two commas", `[1,,${long}]`],
    ["with a comma first", `[,${long}]`],
    ["closed by another bracket", `[${long}}`],
    ["opened and closed in the wrong order", `[${long},[{]},${long}]`],
    ["with something after it", `[${long}] x`],
    ["two values", `[${long}],[${long}]`],
    ["two values in brackets that do not belong to each other", `[${long}],{"a":1}]`],
    ["an object without names", `{[${long}]}`],
    ["an object whose name is not a string", `{1:[${long}]}`],
    ["an object without a colon", `{"a" [${long}]}`],
    ["an object with something before the name", `{x"a":[${long}]}`],
    ["a backslash at the end", `[${long},"${"\\".repeat(30_001)}`],
  ])("%s", async (_, text) => {
    expect(text.length).toBeGreaterThan(256 * 1024);
    await expect(parse(text)).rejects.toEqual(notJson);
  });

  test("bytes that are not UTF-8, in any slice", async () => {
    const bytes = Buffer.from(`[${list(60_000, "12345")},"x"]`);
    bytes[bytes.length - 3] = 0xff;
    await expect(parseJsonBody(bytes, 1_000_000, never)).rejects.toEqual(notJson);
  });
});

describe("limits are checked before anything is parsed", () => {
  const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  const wide = (members: number): string => `{${Array.from({ length: members }, (_, at) => `"k${at}":1`).join(",")}}`;
  test.each<[string, string, string | undefined]>([
    ["16 deep", deep(16), undefined],
    ["17 deep", deep(17), "the body nests more than 16 deep"],
    ["17 deep and not closed", "[".repeat(17), "the body nests more than 16 deep"],
    ["a million deep", "[".repeat(1_000_000), "the body nests more than 16 deep"],
    ["brackets in a string", `["${"[".repeat(100)}"]`, undefined],
    ["1,000 members", wide(1000), undefined],
    ["1,001 members", wide(1001), "the body has an object of more than 1000 members"],
    ["1,001 elements", list(1001, "1"), undefined],
    ["2,000 values", list(1999, "1"), undefined],
    ["2,001 values", list(2000, "1"), "the body has more than 2000 values"],
    ["2,001 empty lists", list(2000, "[]"), "the body has more than 2000 values"],
    ["a string of 65,536 bytes", `["${"t".repeat(65_536)}"]`, undefined],
    ["a string of 65,537 bytes", `["${"t".repeat(65_537)}"]`, "the body has a string of more than 65536 bytes"],
    ["a string of 65,537 bytes that does not end", `["${"t".repeat(65_537)}`, "the body has a string of more than 65536 bytes"],
    ["a name of 65,537 bytes", `{"${"n".repeat(65_537)}":1}`, "the body has a string of more than 65536 bytes"],
    ["more values than allowed, in a large body", list(300_000, "[]"), "the body has more than 2000 values"],
  ])("%s", async (_, text, message) => {
    const outcome = await parse(text, 2000).then(
      () => undefined,
      (fault: UpstreamFault) => [fault.kind, fault.message],
    );
    expect(outcome).toEqual(message === undefined ? undefined : ["body", message]);
  });
});

test("a large body is parsed in slices: the event loop turns many times in the meantime, and parsing stops when no caller is waiting any more", async () => {
  const text = list(8000, row);
  let rounds = 0;
  let counting = true;
  const count = (): void => {
    rounds += 1;
    if (counting) {
      setImmediate(count);
    }
  };
  setImmediate(count);
  await parse(text);
  counting = false;
  expect(rounds).toBeGreaterThanOrEqual(Math.floor(text.length / (64 * 1024)));
  const leaving = new AbortController();
  const parsing = parseJsonBody(Buffer.from(text), 1_000_000, leaving.signal);
  leaving.abort(new UpstreamFault("timeout", "the caller has disconnected"));
  await expect(parsing).rejects.toEqual(new UpstreamFault("timeout", "the caller has disconnected"));
});
