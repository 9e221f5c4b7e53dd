// How the service keeps its lists fresh: what it requests and when, and how it responds in the meantime.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Client, ConnectError } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import type { Freshness } from "../../../gen/quintet/common/v1/freshness_pb.js";
import type { TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { startTokenListStandIn } from "../../../src/sandbox/stand-ins/tokenlist/stand-ins.ts";
import type { TokenListConfig } from "../../../src/services/tokenlist/config.ts";
import { createTokenDirectory } from "../../../src/services/tokenlist/token-directory.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { startLoopbackServer } from "../../upstream/loopback-server.ts";
import { address, checked, listDocument, row } from "./lists.ts";
import { nowMs, refreshIntervalMs, type StartedTokenList, startTokenList, until } from "./start-token-list.ts";

type ListClient = Client<typeof TokenListService>;

const minuteMs = 60_000;
const version = (patch: number): object => ({ version: { major: 1, minor: 2, patch } });

/** A publisher of one list, called `list`. A slow one never responds, because nothing moves its clock. */
async function publisher(rows: readonly unknown[] = [row(1)], changes: object = {}) {
  const document = listDocument(rows, changes);
  const clock = createManualClock({ nowMs });
  const { standIn, publish } = await startTokenListStandIn({ seed: 1, clock, lists: [{ key: "list", document }] });
  onTestFinished(() => standIn.close());
  return {
    standIn,
    url: `${standIn.origin}/list.json`,
    publish: (newRows: readonly unknown[], newChanges: object = {}) =>
      publish({ key: "list", document: listDocument(newRows, newChanges) }),
  };
}

function serve(lists: TokenListConfig["lists"]): StartedTokenList {
  const started = startTokenList(lists);
  onTestFinished(started.close);
  return started;
}

/** The state of the service's first list: version, first symbol, how many seconds ago it was confirmed, whether it is stale. */
async function state(client: ListClient): Promise<[string | undefined, string | undefined, number, boolean]> {
  const [list] = (await client.listLists({})).results;
  const [token] = (await client.getList({ list: list?.name ?? "" })).results;
  const confirmedMs = list?.freshness?.fetchedAt === undefined ? Number.NaN : timestampMs(list.freshness.fetchedAt);
  return [list?.version, token?.symbol, (confirmedMs - nowMs) / 1000, list?.freshness?.stale ?? false];
}

/** Advances the time to the next attempt, and waits until the attempt is over. */
async function nextAttempt({ clock, attempts }: StartedTokenList, ms: number): Promise<void> {
  const before = attempts();
  clock.advance(ms);
  await until(() => attempts() > before);
}

describe("every interval a list is requested again, and", () => {
  test("an unchanged one is confirmed without being sent again", async () => {
    const { standIn, url } = await publisher();
    const service = serve([{ name: "list", urls: [url] }]);
    expect(await state(service.client)).toEqual(["1.2.3", "T1", 0, false]);
    await nextAttempt(service, refreshIntervalMs);
    expect(await state(service.client)).toEqual(["1.2.3", "T1", refreshIntervalMs / 1000, false]);
    expect(standIn.requestCount).toBe(2);
  });

  test("is requested conditionally, with every validator that the publisher sent", async () => {
    const body = JSON.stringify(listDocument([row(1)]));
    const { origin, requests } = await startLoopbackServer((request, response) => {
      const unchanged = request.headers["if-none-match"] !== undefined;
      const headers = { etag: '"v1"', "last-modified": "Sun, 01 Nov 2026 00:00:00 GMT" };
      response.writeHead(unchanged ? 304 : 200, headers).end(unchanged ? undefined : body);
    });
    const service = serve([{ name: "list", urls: [origin] }]);
    for (const minutes of [0, 10, 20]) {
      expect(await state(service.client)).toEqual(["1.2.3", "T1", minutes * 60, false]);
      await nextAttempt(service, refreshIntervalMs);
    }
    const requested = requests.map(({ headers }) => [headers["if-none-match"], headers["if-modified-since"]]);
    const conditional = ['"v1"', "Sun, 01 Nov 2026 00:00:00 GMT"];
    expect(requested).toEqual([[undefined, undefined], conditional, conditional, conditional]);
  });

  test("one whose publisher sends no validators is indexed again only when it has changed", async () => {
    let body = JSON.stringify(listDocument([row(1)]));
    const { origin } = await startLoopbackServer((_request, response) => response.end(body));
    const service = serve([{ name: "list", urls: [origin] }]);
    await state(service.client);
    await nextAttempt(service, refreshIntervalMs);
    expect([await state(service.client), service.listsRead()]).toEqual([["1.2.3", "T1", 600, false], 1]);
    body = JSON.stringify(listDocument([row(2)]));
    await nextAttempt(service, refreshIntervalMs);
    expect([await state(service.client), service.listsRead()]).toEqual([["1.2.3", "T2", 1200, false], 2]);
  });

  test("nothing is requested earlier", async () => {
    const { standIn, url } = await publisher();
    const { client, clock } = serve([{ name: "list", urls: [url] }]);
    await client.listLists({});
    clock.advance(refreshIntervalMs - 1);
    expect(standIn.requestCount).toBe(1);
  });

  test("a changed one replaces it at once", async () => {
    const { url, publish } = await publisher();
    const service = serve([{ name: "list", urls: [url] }]);
    await state(service.client);
    publish([row(7)], version(4));
    await nextAttempt(service, refreshIntervalMs);
    expect(await state(service.client)).toEqual(["1.2.4", "T7", refreshIntervalMs / 1000, false]);
    expect(await service.client.searchTokens({ query: "T1" })).toMatchObject({ total: 0 });
  });

  test.each([
    ["a head that breaks the schema", [row(7)], { version: "2" }],
    ["mostly bad entries", [row(7), null, null], version(4)],
    ["no entries", [], version(4)],
  ])("one with %s is refused, and the last good version stays, marked as stale", async (_what, rows, changes) => {
    const { url, publish } = await publisher();
    const service = serve([{ name: "list", urls: [url] }]);
    await state(service.client);
    publish(rows, changes);
    await nextAttempt(service, refreshIntervalMs);
    expect(await state(service.client)).toEqual(["1.2.3", "T1", 0, true]);
  });

  test.each([
    [{ kind: "dead" } as const],
    [{ kind: "failing" } as const],
    [{ kind: "html" } as const],
    [{ kind: "truncated" } as const],
    [{ kind: "limiting", retryAfterSeconds: 30 } as const],
  ])("one whose publisher is %j keeps its last version, and is requested again after 1, 2 and 4 minutes", async (misbehaviour) => {
    const { standIn, url, publish } = await publisher();
    const service = serve([{ name: "list", urls: [url] }]);
    await state(service.client);
    standIn.misbehaviour = misbehaviour;
    for (const waitMs of [refreshIntervalMs, minuteMs, 2 * minuteMs]) {
      await nextAttempt(service, waitMs);
      expect(await state(service.client)).toEqual(["1.2.3", "T1", 0, true]);
    }
    standIn.misbehaviour = { kind: "none" };
    publish([row(7)], version(4));
    await nextAttempt(service, 4 * minuteMs);
    expect(await state(service.client)).toEqual(["1.2.4", "T7", (refreshIntervalMs + 7 * minuteMs) / 1000, false]);
    expect(standIn.requestCount).toBe(5);
  });
});

describe("a fallback", () => {
  test("is read if the list's own address fails", async () => {
    const [own, fallback] = [await publisher(), await publisher([row(2)], version(2))];
    own.standIn.misbehaviour = { kind: "failing" };
    const service = serve([{ name: "list", urls: [own.url, fallback.url] }]);
    expect(await state(service.client)).toEqual(["1.2.2", "T2", 0, false]);
  });

  test("is no longer used once the list's own address responds, even with an older version", async () => {
    const [own, fallback] = [await publisher(), await publisher([row(9)], version(9))];
    own.standIn.misbehaviour = { kind: "dead" };
    const service = serve([{ name: "list", urls: [own.url, fallback.url] }]);
    await state(service.client);
    own.standIn.misbehaviour = { kind: "none" };
    await nextAttempt(service, refreshIntervalMs);
    expect(await state(service.client)).toEqual(["1.2.3", "T1", refreshIntervalMs / 1000, false]);
  });

  test("is requested conditionally if it was read last", async () => {
    const [own, fallback] = [await publisher(), await publisher([row(2)], version(2))];
    own.standIn.misbehaviour = { kind: "dead" };
    const service = serve([{ name: "list", urls: [own.url, fallback.url] }]);
    await state(service.client);
    await nextAttempt(service, refreshIntervalMs);
    expect(await state(service.client)).toEqual(["1.2.2", "T2", refreshIntervalMs / 1000, false]);
  });

  test("that is out of date is requested conditionally too, and stays refused", async () => {
    const own = await publisher();
    const body = JSON.stringify(listDocument([row(2)], version(2)));
    const { origin, requests } = await startLoopbackServer((request, response) => {
      const unchanged = request.headers["if-none-match"] === '"v1"';
      response.writeHead(unchanged ? 304 : 200, { etag: '"v1"' }).end(unchanged ? undefined : body);
    });
    const service = serve([{ name: "list", urls: [own.url, origin] }]);
    await state(service.client);
    own.standIn.misbehaviour = { kind: "dead" };
    await nextAttempt(service, refreshIntervalMs);
    await nextAttempt(service, minuteMs);
    expect(await state(service.client)).toEqual(["1.2.3", "T1", 0, true]);
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"v1"']);
  });

  test("with the same content as the list's own address changes nothing, and neither does switching back", async () => {
    const [own, fallback] = [await publisher(), await publisher()];
    const service = serve([{ name: "list", urls: [own.url, fallback.url] }]);
    await state(service.client);
    own.standIn.misbehaviour = { kind: "dead" };
    await nextAttempt(service, refreshIntervalMs);
    own.standIn.misbehaviour = { kind: "none" };
    await nextAttempt(service, refreshIntervalMs);
    expect([await state(service.client), service.listsRead()]).toEqual([["1.2.3", "T1", 1200, false], 1]);
  });

  test("is requested unconditionally if another address was read last", async () => {
    const own = await publisher();
    const fallback = await startLoopbackServer((_request, response) => response.end(JSON.stringify(listDocument([row(1)]))));
    const service = serve([{ name: "list", urls: [own.url, fallback.origin] }]);
    await state(service.client);
    own.standIn.misbehaviour = { kind: "dead" };
    await nextAttempt(service, refreshIntervalMs);
    const requested = fallback.requests.map(({ headers }) => [headers["if-none-match"], headers["if-modified-since"]]);
    expect(requested).toEqual([[undefined, undefined]]);
  });

  test.each([
    ["is accepted if it is newer", version(4), "1.2.4", false],
    ["is accepted if it has the same version", version(3), "1.2.3", false],
    ["is not accepted if it is older", version(2), "1.2.3", true],
    ["is not accepted if it is another list", { ...version(4), name: "Another" }, "1.2.3", true],
  ])("%s", async (_what, changes, expected, stale) => {
    const [own, fallback] = [await publisher(), await publisher([row(1)], changes)];
    const service = serve([{ name: "list", urls: [own.url, fallback.url] }]);
    await state(service.client);
    own.standIn.misbehaviour = { kind: "dead" };
    await nextAttempt(service, refreshIntervalMs);
    expect(await state(service.client)).toEqual([expected, "T1", stale ? 0 : refreshIntervalMs / 1000, stale]);
  });
});

test("a response is as fresh as the least recently confirmed list behind it", async () => {
  const [first, second] = [await publisher([row(1)]), await publisher([row(2)])];
  const service = serve([
    { name: "first", urls: [first.url] },
    { name: "second", urls: [second.url] },
  ]);
  const { client, clock, attempts } = service;
  await state(client);
  second.standIn.misbehaviour = { kind: "html" };
  const before = attempts();
  clock.advance(refreshIntervalMs);
  await until(() => attempts() === before + 2);
  const ages = async (...responses: Promise<{ freshness?: Freshness | undefined }>[]): Promise<number[]> =>
    (await Promise.all(responses)).map(({ freshness }) =>
      freshness?.fetchedAt === undefined ? Number.NaN : timestampMs(freshness.fetchedAt) - nowMs,
    );
  expect(
    await ages(
      client.getToken({ chain: "1", address: address(1) }),
      client.getToken({ chain: "1", address: address(2) }),
      client.getList({ list: "first" }),
      client.searchTokens({ query: "T1" }),
      client.getBridges({ chain: "1", address: address(1) }),
    ),
  ).toEqual([refreshIntervalMs, 0, refreshIntervalMs, 0, 0]);
});

describe("before the first index", () => {
  const failure = async (call: Promise<unknown>): Promise<[string | undefined, string]> => {
    const error = ConnectError.from(await call.catch((thrown: unknown) => thrown));
    return [error.findDetails(ErrorInfoSchema)[0]?.reason, error.rawMessage];
  };
  const nothingYet = ["UPSTREAM_FAILED", "No token list could be read yet; the call was not counted."];
  const slow = { kind: "slow", delayMs: 1 } as const;

  test("a call waits for the lists", async () => {
    const { standIn, url } = await publisher();
    const { client } = serve([{ name: "list", urls: [url] }]);
    const received = client.searchTokens({ query: "t1" });
    expect(standIn.requestCount).toBe(0);
    expect(await received).toMatchObject({ total: 1 });
  });

  test("a call waits no longer than eight seconds", async () => {
    const { standIn, url } = await publisher();
    standIn.misbehaviour = slow;
    const service = serve([{ name: "list", urls: [url] }]);
    const scheduled = service.clock.pending;
    const received = failure(service.client.listLists({}));
    await until(() => service.clock.pending > scheduled);
    expect(service.isReady()).toBe(false);
    service.clock.advance(8000);
    expect(await received).toEqual(nothingYet);
    expect([service.isReady(), service.isServing()]).toEqual([true, false]);
  });

  test("a call with an earlier deadline is told that the lists are still being read", async () => {
    const [quick, late] = [await publisher(), await publisher([row(2)])];
    late.standIn.misbehaviour = slow;
    const service = serve([
      { name: "quick", urls: [quick.url] },
      { name: "late", urls: [late.url] },
    ]);
    const scheduled = service.clock.pending;
    const received = failure(service.client.getToken({ chain: "1", address: address(1) }, { timeoutMs: 3000 }));
    await until(() => service.clock.pending > scheduled);
    service.clock.advance(2990);
    expect(await received).toEqual(["UPSTREAM_FAILED", "The token lists are still being read; the call was not counted."]);
    expect([service.isReady(), service.isServing()]).toEqual([false, false]);
  });

  test("lists that are read one after another are indexed once, when each has been tried", async () => {
    const publishers = await Promise.all([1, 2, 3].map((number) => publisher([row(number)])));
    (publishers[1] as (typeof publishers)[number]).standIn.misbehaviour = { kind: "dead" };
    const service = serve(publishers.map(({ url }, at) => ({ name: `list-${at}`, urls: [url] })));
    const first = await service.client.searchTokens({ query: "t1" });
    expect([first.total, first.missingLists]).toEqual([1, ["list-1"]]);
    expect(service.indexesBuilt()).toBe(1);
  });

  test("a list that is read from raw files on GitHub is requested again after an hour, not after ten minutes", async () => {
    const list = await checked([row(1)]);
    const reader = { name: "raw", read: async () => ({ list, receivedAtMs: nowMs, pauseMinMs: 3_600_000 }) };
    const clock = createManualClock({ nowMs });
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    const randomness = { bytes: (count: number) => new Uint8Array(count), uuid: () => "", unit: () => 0.5 };
    const directory = createTokenDirectory({ readers: [reader], refreshIntervalMs, clock, randomness, log: silent });
    directory.begin();
    await directory.current(new AbortController().signal, 1000);
    await until(() => clock.pending > 0);
    expect([clock.hasAlarmIn(refreshIntervalMs), clock.hasAlarmIn(3_600_000)]).toEqual([false, true]);
    await directory.close();
  });

  test("a call is refused at once when no list could be read, until one can", async () => {
    const { standIn, url } = await publisher();
    standIn.misbehaviour = { kind: "dead" };
    const service = serve([{ name: "list", urls: [url] }]);
    expect(await failure(service.client.listLists({}))).toEqual(nothingYet);
    standIn.misbehaviour = { kind: "none" };
    await nextAttempt(service, minuteMs);
    expect(await state(service.client)).toEqual(["1.2.3", "T1", 60, false]);
  });

  test("it is not serving, and afterwards it stays serving even if a list fails", async () => {
    const { standIn, url } = await publisher();
    standIn.misbehaviour = { kind: "dead" };
    const service = serve([{ name: "list", urls: [url] }]);
    await until(() => service.attempts() === 1);
    expect(service.isServing()).toBe(false);
    standIn.misbehaviour = { kind: "none" };
    await nextAttempt(service, minuteMs);
    expect(service.isServing()).toBe(true);
    standIn.misbehaviour = { kind: "dead" };
    await nextAttempt(service, refreshIntervalMs);
    expect(service.isServing()).toBe(true);
  });

  test("a slow list delays the others by eight seconds at most; until it is read, every response says that it is missing", async () => {
    const [quick, late] = [await publisher(), await publisher([row(2)])];
    late.standIn.misbehaviour = slow;
    const { client, clock, isReady, listsRead } = serve([
      { name: "quick", urls: [quick.url] },
      { name: "late", urls: [late.url] },
    ]);
    await until(() => listsRead() === 1);
    const scheduled = clock.pending;
    const received = client.getToken({ chain: "1", address: address(1) });
    await until(() => clock.pending > scheduled);
    clock.advance(7999);
    expect(isReady()).toBe(false);
    clock.advance(1);
    expect(await received).toMatchObject({ symbol: "T1", lists: ["quick"], missingLists: ["late"] });
    expect(isReady()).toBe(true);
    const responses = await Promise.all([
      client.getList({ list: "quick" }),
      client.listLists({}),
      client.searchTokens({ query: "nothing" }),
      client.getBridges({ chain: "1", address: address(1) }),
    ]);
    expect(responses.map(({ missingLists }) => missingLists)).toEqual([["late"], ["late"], ["late"], ["late"]]);
    expect(await failure(client.getToken({ chain: "1", address: address(2) }))).toEqual([
      "UPSTREAM_FAILED",
      `No list contains ${address(2)} on ethereum. But a list could not be read yet: late. The call was not counted.`,
    ]);
    expect(await failure(client.getList({ list: "late" }))).toEqual([
      "UPSTREAM_FAILED",
      "The list late could not be read yet; the call was not counted.",
    ]);
    expect(
      (await client.listLists({})).results.map(({ name, tokenCount, freshness }) => [
        name,
        tokenCount,
        freshness?.fetchedAt === undefined,
        freshness?.stale,
      ]),
    ).toEqual([
      ["quick", 1, false, false],
      ["late", 0, true, false],
    ]);
  });
});

test("a closed service requests nothing more", async () => {
  const { standIn, url } = await publisher();
  const { client, clock, close } = startTokenList([{ name: "list", urls: [url] }]);
  await client.listLists({});
  await close();
  expect(clock.pending).toBe(0);
  clock.advance(refreshIntervalMs);
  expect(standIn.requestCount).toBe(1);
});

test("a service can be closed while it reads a list", async () => {
  const { standIn, url } = await publisher();
  standIn.misbehaviour = { kind: "slow", delayMs: 1 };
  const { clock, close } = startTokenList([{ name: "list", urls: [url] }]);
  await until(() => standIn.requestCount === 1);
  await close();
  expect(clock.pending).toBe(0);
});
