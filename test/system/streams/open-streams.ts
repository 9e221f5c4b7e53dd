// Streams that wait for what ends them, and two nodes on one database to open them on.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { migrateStore } from "../../../src/store/open.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import type { PostgresServer } from "../../fixtures/servers/postgres.ts";
import { type SharedTime, sharedClock } from "../../workers/clock-of-threads.ts";
import type { Headers } from "../account-services/person.ts";

// So long that nothing but the revocation ends a stream during the test.
const WATCH = "/token-price/v1/watch?tokens=coingecko:bitcoin&interval_seconds=3600";

/** A stream that stays open until something ends it. */
export interface OpenStream {
  /** The thread that serves it, if the response names threads. */
  readonly thread: string;
  /** The reason in its last line: how it ended. */
  readonly ended: Promise<string>;
}

/** Watches a price with a key. A node that shares the rate with others may refuse at first: `pass` then lets the time pass. */
export const watch = (origin: string, secret: string, pass?: (ms: number) => void): Promise<OpenStream> =>
  read(origin + WATCH, { "x-gateway-key": secret }, pass);

/** Watches an account's calls in a session. */
export const watchCalls = (origin: string, session: Headers): Promise<OpenStream> =>
  read(`${origin}/account/v1/watch-calls`, session);

async function read(url: string, identity: Headers, pass: (ms: number) => void = () => {}): Promise<OpenStream> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const headers = { ...identity, accept: "application/x-ndjson" };
  const open = (): Promise<Response> => fetch(url, { headers, signal: controller.signal });
  let response = await open();
  while (response.status === 429) {
    // A node that shares the rate with others starts with an empty bucket.
    await response.text();
    pass(500);
    response = await open();
  }
  expect(response.status).toBe(200);
  const ended = response.text().then((text) => String(JSON.parse(text.trimEnd().split("\n").at(-1) ?? "").error?.reason));
  ended.catch(() => {});
  return { thread: response.headers.get("x-thread") ?? "", ended };
}

/** Starts a source with the price that `watch` watches, which ends with the test. Returns its origin. */
export async function startSource(): Promise<string> {
  const source = createServer((_, response) => {
    const coins = { "coingecko:bitcoin": { price: 95_000, symbol: "BTC", confidence: 0.99, timestamp: 1_790_000_000 } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ coins }));
  }).listen(0, "127.0.0.1");
  await once(source, "listening");
  onTestFinished(() => {
    source.close();
    source.closeAllConnections();
  });
  return `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
}

/** Starts two nodes on one PostgreSQL, which end with the test. Their time stands still, unless somebody moves it. */
export async function startNodes(server: PostgresServer, time: SharedTime): Promise<readonly [Gateway, Gateway]> {
  const url = await server.createDatabase();
  const variables = {
    QUINTET_COINS_URL: await startSource(),
    QUINTET_DATABASE_URL: url,
  };
  await migrateStore({
    dataDir: "/nonexistent",
    database: { url, connectionsMax: 2, staleAfterMs: 10_000 },
    clock: systemClock,
  });
  const start = async (): Promise<Gateway> => {
    const node = await startGateway({ clock: sharedClock(time), variables });
    onTestFinished(() => node.close());
    return node;
  };
  return [await start(), await start()];
}
