// WatchPrices in every protocol, with real clients: what is sent, what it costs, and how it ends.
import { describe, expect, test } from "vitest";
import { START_MS } from "../../fixtures/gateway.ts";
import { CLIENT_OF_SEVERAL_ADDRESSES, WATCH_CLIENTS, type WatchClient } from "./watch-clients.ts";
import { HEARTBEAT_MS, INTERVAL_SECONDS, startWatchScene, type WatchScene } from "./watch-scene.ts";

const INTERVALS_TO_SECOND_MINUTE = Math.ceil(120 / INTERVAL_SECONDS);

const timeAfter = (intervals: number): string =>
  new Date(START_MS + intervals * INTERVAL_SECONDS * 1000).toISOString().replace(".000Z", "Z");

const priceOf = (price: number, afterIntervals: number): object => ({
  token: "coingecko:bitcoin",
  id: "coingecko:bitcoin",
  price,
  symbol: "BTC",
  confidence: 0.99,
  recorded_at: timeAfter(afterIntervals),
});

/** A message with what was fetched after that many intervals. */
const messageOf = (results: readonly object[], missing: readonly string[], afterIntervals: number): object => ({
  results,
  missing,
  freshness: { fetched_at: timeAfter(afterIntervals), stale: false },
});

const FIRST = messageOf([priceOf(95_000, 0)], ["coingecko:unowned"], 0);

const watching = async (scene: WatchScene, client: WatchClient, signal?: AbortSignal): Promise<AsyncGenerator<unknown>> => {
  const messages = scene.watch(client, signal && { signal });
  expect((await messages.next()).value).toEqual(FIRST);
  return messages;
};

describe.each(WATCH_CLIENTS)("$name", (client) => {
  test("sends all prices first, then only changes, and is charged for each minute", async () => {
    const scene = await startWatchScene();
    const messages = await watching(scene, client);
    const second = messages.next();
    await scene.passIntervals(2);
    await scene.passIntervals(1, () => scene.prices.set("coingecko:bitcoin", 96_000));
    expect((await second).value).toEqual(messageOf([priceOf(96_000, 3)], [], 3));
    const third = messages.next();
    await scene.passIntervals(1, () => scene.prices.delete("coingecko:bitcoin"));
    expect((await third).value).toEqual(messageOf([], ["coingecko:bitcoin"], 4));
    const fourth = messages.next();
    await scene.passIntervals(1);
    expect(await scene.charged()).toBe(1);
    await scene.passIntervals(1);
    await scene.passTimeUntilCharged(2);
    await scene.passIntervals(1, () => scene.prices.set("coingecko:bitcoin", 97_000));
    expect((await fourth).value).toEqual(messageOf([priceOf(97_000, 7)], [], 7));
    const fifth = messages.next();
    await scene.passIntervals(1, () => scene.prices.set("coingecko:unowned", 1));
    expect((await fifth).value).toEqual(
      messageOf([{ ...priceOf(1, 8), token: "coingecko:unowned", id: "coingecko:unowned" }], [], 8),
    );
    const sixth = messages.next();
    await scene.passIntervals(2);
    expect(await scene.charged()).toBe(2);
    await scene.passIntervals(1, () => scene.prices.set("coingecko:bitcoin", 98_000));
    expect((await sixth).value).toEqual(messageOf([priceOf(98_000, 11)], [], 11));
    await scene.passTimeUntilCharged(3);
  });

  test("stops requests, waits and charges when the caller cancels", async () => {
    const scene = await startWatchScene();
    const controller = new AbortController();
    const messages = await watching(scene, client, controller.signal);
    const ended = messages.next().catch(() => "cancelled");
    await scene.untilWatched();
    controller.abort();
    expect(await ended).toBe("cancelled");
    await scene.untilNobodyWatches();
    await scene.passSeconds(130);
    expect(await scene.charged()).toBe(1);
  });

  test("ends with QUOTA_EXCEEDED when a minute cannot be charged", async () => {
    const scene = await startWatchScene({ callsPerMonth: 2 });
    const messages = await watching(scene, client);
    const ended = messages.next();
    await scene.passIntervals(INTERVALS_TO_SECOND_MINUTE - 1);
    await expect(scene.passTimeUntil(ended)).rejects.toMatchObject({ reason: "QUOTA_EXCEEDED" });
  });

  test.each([
    ["revoked", "KEY_REVOKED", (scene: WatchScene) => scene.gateway.store.revokeKey(scene.key.id)],
    ["disabled", "KEY_REVOKED", (scene: WatchScene) => scene.gateway.store.updateKey(scene.key.id, { disabled: true })],
    ["limited", "KEY_SERVICE_REFUSED", (scene: WatchScene) => scene.gateway.store.updateKey(scene.key.id, { services: ["radio"] })],
    ["suspended", "SUBSCRIPTION_REQUIRED", (scene: WatchScene) => scene.gateway.store.setSuspended(scene.key.accountId, true)],
  ] as const)("ends at once when the key is %s", async (_, reason, change) => {
    const scene = await startWatchScene();
    const messages = await watching(scene, client);
    const ended = messages.next();
    await change(scene);
    await expect(ended).rejects.toMatchObject({ reason });
    await scene.untilNobodyWatches();
  });

  test("continues when the key is renamed", async () => {
    const scene = await startWatchScene();
    const messages = await watching(scene, client);
    const second = messages.next();
    await scene.gateway.store.updateKey(scene.key.id, { name: "renamed" });
    await scene.passIntervals(1, () => scene.prices.set("coingecko:bitcoin", 96_000));
    expect((await second).value).toEqual(messageOf([priceOf(96_000, 1)], [], 1));
  });

  test("that reaches its deadline after a message reports the minute as counted, and it is", async () => {
    const scene = await startWatchScene();
    // connect-es has its own timer for it, so a busy machine may not send anything in time. In that case, try with more time.
    for (let deadlineMs = 500; ; deadlineMs *= 2) {
      const messages = scene.watch(client, { deadlineMs });
      const first = await messages.next().catch(({ reason }: { reason: unknown }) => ({ value: reason }));
      if (first.value === "DEADLINE_EXCEEDED") {
        continue;
      }
      expect(first.value).toEqual(FIRST);
      const ended = messages.next();
      scene.clock.advance(deadlineMs);
      await expect(ended).rejects.toMatchObject({
        reason: "DEADLINE_EXCEEDED",
        message: expect.stringMatching(/^The (call|stream) .*deadline.*; the stream's last minute is counted\.$/),
      });
      break;
    }
    await scene.untilCharged(1);
  });

  test("that reaches its deadline before a message reports that it is not counted, and it is not", async () => {
    const scene = await startWatchScene();
    scene.isSourceMute = true;
    const ended = scene.watch(client, { deadlineMs: 500 }).next();
    await Promise.race([scene.untilRequested(), ended.catch(() => {})]);
    scene.clock.advance(500);
    await expect(ended).rejects.toMatchObject({
      reason: "DEADLINE_EXCEEDED",
      message: expect.stringMatching(/^The .*; it was not counted\.$/),
    });
    await scene.untilCharged(0);
  });

  test("ends cleanly when the server shuts down", async () => {
    const scene = await startWatchScene();
    const messages = await watching(scene, client);
    const ended = messages.next();
    await scene.close();
    await expect(ended).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
  });

  test("continues after a failure of the source, and ends after the third in a row", async () => {
    const scene = await startWatchScene();
    const messages = await watching(scene, client);
    const second = messages.next();
    await scene.passIntervals(1, () => {
      scene.outage = true;
    });
    await scene.passIntervals(1, () => {
      scene.outage = false;
      scene.prices.set("coingecko:bitcoin", 96_000);
    });
    expect((await second).value).toEqual(messageOf([priceOf(96_000, 2)], [], 2));
    const ended = messages.next();
    await scene.passIntervals(3, () => {
      scene.outage = true;
    });
    await expect(ended).rejects.toMatchObject({ reason: "UPSTREAM_FAILED" });
    await scene.untilCharged(0);
  });

  test("refuses a bad call before the stream begins, in the form of its protocol", async () => {
    const scene = await startWatchScene();
    await expect(scene.watch(client, { intervalSeconds: 4 }).next()).rejects.toMatchObject({ reason: "INVALID_ARGUMENT" });
    await expect(scene.watch(client, { key: "" }).next()).rejects.toMatchObject({ reason: "KEY_MISSING" });
    const four = ["a", "b", "c", "d"].map((slug) => `coingecko:${slug}`);
    await expect(scene.watch(client, { tokens: four }).next()).rejects.toMatchObject({ reason: "PLAN_LIMIT" });
    expect(await scene.charged()).toBe(1);
  });
});

const HEARTBEAT = { results: [], missing: [], heartbeat: true };
const WITH_HEARTBEATS = WATCH_CLIENTS.filter(({ name }) => name !== "REST, server-sent events");

test.each(WITH_HEARTBEATS)("$name gets a heartbeat after every 15 silent seconds", async (client) => {
  const scene = await startWatchScene();
  const messages = scene.watchAll(client, { intervalSeconds: 3600 });
  expect((await messages.next()).value).toEqual(FIRST);
  for (let beat = 0; beat < 3; beat += 1) {
    const next = messages.next();
    await scene.untilSilent();
    scene.clock.advance(HEARTBEAT_MS);
    expect((await next).value).toEqual(HEARTBEAT);
  }
  expect(await scene.charged()).toBe(1);
});

test("a gRPC client that names several addresses of the server also gets the stream", async () => {
  const scene = await startWatchScene();
  const messages = await watching(scene, CLIENT_OF_SEVERAL_ADDRESSES);
  const second = messages.next();
  await scene.passIntervals(1, () => scene.prices.set("coingecko:bitcoin", 96_000));
  expect((await second).value).toEqual(messageOf([priceOf(96_000, 1)], [], 1));
});
