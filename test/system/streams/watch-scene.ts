// A gateway with a price source whose prices the test sets, and a customer who watches them. The test moves the clock.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Key } from "../../../src/store/records.ts";
import { type Gateway, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { type Watch, type WatchClient, withoutHeartbeats } from "./watch-clients.ts";

/** No other timer has this length. */
export const INTERVAL_SECONDS = 11;

/** The silence after which a heartbeat is sent. */
export const HEARTBEAT_MS = 15_000;

const INTERVAL_MS = INTERVAL_SECONDS * 1000;
const STEP_MS = 50;

/** The gateway, its source, and its customer. */
export interface WatchScene {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  readonly key: Key;
  readonly secret: string;
  /** Token → US dollars. Other tokens have no price. */
  readonly prices: Map<string, number>;
  /** Whether the source fails. */
  outage: boolean;
  /** Whether the source accepts requests without responding. */
  isSourceMute: boolean;
  /** Starts watching, without heartbeats. */
  watch(client: WatchClient, more?: Partial<Watch>): AsyncGenerator<unknown>;
  /** Starts watching, with heartbeats. */
  watchAll(client: WatchClient, more?: Partial<Watch>): AsyncGenerator<unknown>;
  /** Repeats: waits until a stream waits for its interval, calls `change`, and lets the interval pass. */
  passIntervals(times: number, change?: () => void): Promise<void>;
  /**
   * Waits until a stream waits for its interval, and lets some of it pass, in small steps, until this many calls have been charged: if the
   * store did not answer the guard while the clock jumped, the minute is charged when the guard tries again. The rest passes next.
   */
  passTimeUntilCharged(calls: number): Promise<void>;
  /** Waits until the source has been queried. */
  untilRequested(): Promise<void>;
  /** Waits until a stream waits for its interval. */
  untilWatched(): Promise<void>;
  /** Waits until a stream waits for its next message or heartbeat. */
  untilSilent(): Promise<void>;
  /** Advances the clock by this many seconds, one at a time. */
  passSeconds(seconds: number): Promise<void>;
  /** Waits until no stream waits for an interval. */
  untilNobodyWatches(): Promise<void>;
  /** How many calls have been charged, not counting the one that checks. */
  charged(): Promise<number>;
  /** Waits until this many calls have been charged: a call may be settled shortly after its response has ended. */
  untilCharged(calls: number): Promise<void>;
  /** Waits until a call with the customer's key gets this HTTP status. */
  untilResponded(status: number): Promise<void>;
  /** Advances the clock in small steps until the promise is settled. Settles like the promise. */
  passTimeUntil(settled: Promise<unknown>): Promise<unknown>;
  /** Shuts the gateway down. */
  close(): Promise<void>;
}

/** In which the store answers from its other thread. */
const TURNS = 300;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise(setImmediate);
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    await new Promise(setImmediate);
  }
}

async function passTimeUntil(clock: ManualClock, settled: Promise<unknown>): Promise<unknown> {
  let over = false;
  const note = (): void => {
    over = true;
  };
  settled.then(note, note);
  while (!over) {
    clock.advance(5);
    await turns(50);
  }
  return settled;
}

// When an assertion fails, a test may leave a message open that it had asked for, which then fails with nobody to hear it.
function leavable(messages: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  const next = messages.next.bind(messages);
  messages.next = (...value) => {
    const message = next(...value);
    message.catch(() => {});
    return message;
  };
  return messages;
}

/** Starts it, on a plan of `callsPerMonth`; closed after the test. */
export async function startWatchScene({ callsPerMonth = 1000, requestsPerSecond = 100 } = {}): Promise<WatchScene> {
  let requested = 0;
  const prices = new Map([["coingecko:bitcoin", 95_000]]);
  const clock = createManualClock({ nowMs: START_MS });
  const source = createServer((request, response) => {
    requested += 1;
    if (scene.isSourceMute) {
      return;
    }
    const ids = decodeURIComponent(request.url?.split("/").at(-1) ?? "").split(",");
    const timestamp = Math.floor(clock.nowMs() / 1000);
    const known = ids.filter((id) => prices.has(id));
    const coins = Object.fromEntries(
      known.map((id) => [id, { price: prices.get(id), symbol: "BTC", confidence: 0.99, timestamp }]),
    );
    response.writeHead(scene.outage ? 500 : 200, { "content-type": "application/json" }).end(JSON.stringify({ coins }));
  });
  source.listen(0, "127.0.0.1");
  await once(source, "listening");
  const gateway = await startGateway({
    clock,
    plans: { "token-price": [{ name: "free", callsPerMonth, requestsPerSecond, tokensPerCallMax: 3 }] },
    variables: {
      QUINTET_COINS_URL: `http://127.0.0.1:${(source.address() as AddressInfo).port}`,
      QUINTET_COINS_CACHE_MS: "0",
      QUINTET_DRAIN_MS: "60000",
    },
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing ??= gateway.close();
    await passTimeUntil(clock, closing);
  };
  onTestFinished(async () => {
    await close();
    source.close();
    source.closeAllConnections();
  });
  const { secret, key } = await gateway.makeCustomer({ "token-price": "free" });
  let probes = 0;
  const probe = (): Promise<Response> =>
    fetch(`${gateway.origin}/token-price/v1/price?nonsense=1`, { headers: { "x-gateway-key": secret } });
  const charged = async (): Promise<number> => {
    let { headers, status } = await probe();
    // While the store has not answered the guard, nobody knows how many are left.
    while (status === 503) {
      await new Promise(setImmediate);
      ({ headers, status } = await probe());
    }
    // Only a probe whose parameter is refused is charged. One that the rate limit refuses is not: a test may ask often while the clock
    // stands still.
    probes += status === 400 ? 1 : 0;
    const [, left] = /"month";r=(\d+)/.exec(headers.get("ratelimit") ?? "") ?? [];
    return callsPerMonth - Number(left) - probes;
  };
  // What is left of the interval that the stream waits for.
  let leftMs = INTERVAL_MS;
  const scene: WatchScene = {
    gateway,
    clock,
    key,
    secret,
    prices,
    outage: false,
    isSourceMute: false,
    untilRequested: () => until(() => requested > 0),
    watch: (client, more) => leavable(withoutHeartbeats(scene.watchAll(client, more))),
    watchAll: (client, more) =>
      leavable(
        client.watch({
          origin: gateway.origin,
          key: secret,
          tokens: ["coingecko:bitcoin", "coingecko:unowned"],
          intervalSeconds: INTERVAL_SECONDS,
          signal: new AbortController().signal,
          ...more,
        }),
      ),
    async passIntervals(times, change) {
      for (let passed = 0; passed < times; passed += 1) {
        await until(() => clock.hasAlarmIn(leftMs));
        change?.();
        // In steps, because a minute that is being charged waits for the store for ten seconds of this clock at most.
        for (; leftMs > 0; leftMs -= 1000) {
          clock.advance(Math.min(leftMs, 1000));
          await turns(TURNS);
        }
        leftMs = INTERVAL_MS;
      }
    },
    async passTimeUntilCharged(calls) {
      await until(() => clock.hasAlarmIn(leftMs));
      for (let found = await charged(); found !== calls; found = await charged()) {
        if (leftMs <= STEP_MS) {
          throw new Error(`${found} calls were charged within the interval, not ${calls}`);
        }
        clock.advance(STEP_MS);
        leftMs -= STEP_MS;
      }
    },
    untilSilent: () => until(() => clock.hasAlarmIn(HEARTBEAT_MS)),
    untilWatched: () => until(() => clock.hasAlarmIn(INTERVAL_MS)),
    async passSeconds(seconds) {
      for (let passed = 0; passed < seconds; passed += 1) {
        clock.advance(1000);
        await new Promise(setImmediate);
      }
    },
    passTimeUntil: (settled) => passTimeUntil(clock, settled),
    untilNobodyWatches: () => until(() => !clock.hasAlarmIn(INTERVAL_MS)),
    charged,
    untilCharged: (calls) => until(async () => (await charged()) === calls),
    untilResponded: (status) => until(async () => (await probe()).status === status),
    close,
  };
  return scene;
}
