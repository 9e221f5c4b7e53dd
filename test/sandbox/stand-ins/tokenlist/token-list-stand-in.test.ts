import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { BRIDGED_USDC, KNOWN_TOKENS, sandboxLists } from "../../../../src/sandbox/stand-ins/tokenlist/lists.ts";
import { startTokenListStandIn, type TokenListStandIn } from "../../../../src/sandbox/stand-ins/tokenlist/stand-ins.ts";
import { plainAddress, shownAddress } from "../../../../src/services/chains/addresses.ts";
import { listDocument, row } from "../../../services/tokenlist/lists.ts";

async function start(): Promise<TokenListStandIn> {
  const started = await startTokenListStandIn({
    seed: 1,
    clock: systemClock,
    lists: [{ key: "one", document: listDocument([row(1)]) }],
  });
  onTestFinished(() => started.standIn.close());
  return started;
}

const request = async ({ standIn }: TokenListStandIn, path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(standIn.origin + path, { headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

describe("the sandbox's lists", () => {
  test("are the same for the same seed and different for another", () => {
    expect(sandboxLists(1)).toEqual(sandboxLists(1));
    expect(sandboxLists(1)).not.toEqual(sandboxLists(2));
  });

  test("contain more than ten thousand tokens", () => {
    const rows = sandboxLists(1).map(({ key, document }): [string, number] => [key, document.tokens.length]);
    expect(rows.map(([key]) => key)).toEqual(["uniswap", "superchain", "arbitrum", "cow", "aave"]);
    expect(rows.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(10_000);
  });

  test("have the known tokens at addresses with valid checksums", () => {
    const addresses = [...KNOWN_TOKENS, BRIDGED_USDC].flatMap(({ addresses: byChain }) => Object.values(byChain));
    expect(addresses.map((address) => shownAddress(plainAddress(address)))).toEqual(addresses);
  });
});

describe("the stand-in of the lists' publishers", () => {
  test("serves a list as plain text, with validators", async () => {
    const { status, headers, body } = await request(await start(), "/one.json");
    expect([status, headers.get("content-type"), headers.get("last-modified"), JSON.parse(body)]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "Sun, 01 Nov 2026 00:00:00 GMT",
      listDocument([row(1)]),
    ]);
    expect(headers.get("etag")).toMatch(/^"[0-9a-f]{16}"$/);
  });

  test("responds with 304 to either validator while the list has not changed; the entity tag takes precedence", async () => {
    const started = await start();
    const { headers } = await request(started, "/one.json");
    const etag = headers.get("etag") ?? "";
    const modified = headers.get("last-modified") ?? "";
    const statuses = async () => {
      const requested = [
        { "if-none-match": etag },
        { "if-modified-since": modified },
        { "if-none-match": '"other"', "if-modified-since": modified },
        { "if-none-match": `"other", W/${etag}` },
        { "if-none-match": "*" },
        { "if-modified-since": "Sat, 31 Oct 2026 00:00:00 GMT" },
        { "if-modified-since": "once" },
      ].map(async (each) => (await request(started, "/one.json", each)).status);
      return Promise.all(requested);
    };
    expect(await statuses()).toEqual([304, 304, 200, 304, 304, 200, 200]);
    started.publish({ key: "one", document: listDocument([row(2)], { timestamp: "2026-11-02T00:00:00.000Z" }) });
    expect(await statuses()).toEqual([200, 200, 200, 200, 304, 200, 200]);
  });

  test("serves no other path", async () => {
    expect(await request(await start(), "/two.json")).toMatchObject({ status: 404, body: "404: Not Found" });
  });

  test("says which variables point a server at it", async () => {
    const { standIn, variables } = await start();
    expect(variables).toEqual({ QUINTET_TOKEN_LISTS: `one=${standIn.origin}/one.json` });
  });
});
