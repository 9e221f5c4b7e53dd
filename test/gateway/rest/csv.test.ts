// CSV over REST: the rows of the same call's JSON, read by a parser that was not written for it.
import { execFileSync } from "node:child_process";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ListTagsResponseSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { compileTable } from "../../../src/gateway/rest/csv.ts";
import { startWorld, type World } from "../../fixtures/world.ts";

type Row = Readonly<Record<string, unknown>>;

const READ = "import csv, json, sys; print(json.dumps(list(csv.DictReader(sys.stdin, strict=True))))";
const parsed = (csv: string): readonly Row[] => JSON.parse(execFileSync("python3", ["-c", READ], { input: csv, encoding: "utf8" }));

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const get = (path: string, accept: string): Promise<Response> =>
  fetch(world.gateway.origin + path, { headers: { ...world.headers, accept } });

const TOKENS = "tokens=coingecko:bitcoin,ethereum:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";

describe.each([
  ["/bitcoin/v1/history?indicator=s2f&days=5", "points", undefined],
  [`/token-price/v1/chart?${TOKENS}&span=3`, "results", "points"],
  [`/token-price/v1/price?${TOKENS}`, "results", undefined],
  ["/radio/v1/countries", "results", undefined],
] as const)("%s", (path, list, nested) => {
  test("has the rows of its JSON", async () => {
    const response = await get(path, "text/csv");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
    expect(response.headers.get("vary")).toContain("accept, accept-encoding");
    const { data } = (await (await get(path, "application/json")).json()) as { data: Readonly<Record<string, readonly Row[]>> };
    const rows = (data[list] ?? []).flatMap((row) =>
      nested === undefined ? [row] : (row[nested] as readonly Row[]).map((one) => ({ ...row, ...one, [nested]: undefined })),
    );
    const known = (row: Row): Row =>
      Object.fromEntries(
        Object.entries(row).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]])),
      );
    expect(rows.length).toBeGreaterThan(1);
    expect(parsed(await response.text()).map(known)).toEqual(rows.map(known));
  });
});

test("JSON is sent unless CSV is preferred, and what is no table, and a failure, is only JSON", async () => {
  const history = "/bitcoin/v1/history?indicator=mayer&days=2";
  const typeOf = async (path: string, accept: string) => {
    const { status, headers } = await get(path, accept);
    return [status, headers.get("content-type")?.split(";")[0]];
  };
  expect(await typeOf(history, "*/*")).toEqual([200, "application/json"]);
  expect(await typeOf(history, "application/json, text/csv")).toEqual([200, "application/json"]);
  expect(await typeOf(history, "text/csv, */*;q=0.1")).toEqual([200, "text/csv"]);
  expect(await typeOf(history, "text/html")).toEqual([406, "application/json"]);
  expect(await typeOf("/bitcoin/v1/mayer", "text/csv")).toEqual([406, "application/json"]);
  expect(await typeOf(`${history}&from_day=2026-13-01`, "text/csv")).toEqual([400, "application/json"]);
});

test("text with commas, quotes and line breaks is quoted, and text that a spreadsheet would run is not run", () => {
  const write = compileTable(ListTagsResponseSchema);
  const names = ["rock", 'say "hi", you', "two\nlines", '=HYPERLINK("http://evil.example")', "+1", "-2", "@sum", ""];
  const text = write?.(create(ListTagsResponseSchema, { results: names.map((name) => ({ name, stations: 1 })) })) ?? "";
  expect(text.slice(0, 23)).toBe("name,stations\r\nrock,1\r\n");
  expect(parsed(text).map(({ name }) => name)).toEqual(names.map((name) => (/^[=+\-@]/.test(name) ? `'${name}` : name)));
});
