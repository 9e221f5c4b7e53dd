// How long a session lasts: seven days from its last use.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { sharedClock, sharedTime } from "../../workers/clock-of-threads.ts";
import { rest } from "./clients.ts";
import { METHODS, Person } from "./person.ts";

const DAY_MS = 86_400_000;
const LASTS_MS = 7 * DAY_MS;

// Only the time of day is moved: moving the timers too would run everything that happens each second for weeks.
const time = sharedTime();
let nowMs = START_MS;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: { ...sharedClock(time), nowMs: () => nowMs } });
});
afterAll(() => gateway.close());

test("a session that is used stays valid, and an unused one ends after seven days", async () => {
  const pass = (ms: number): void => void Atomics.add(time, 0, ms);
  const person = new Person({ origin: () => gateway.origin, pass, onceKnown: (call) => call() }, rest);
  const session = await person.begin("ada@example.com");
  const codes: string[] = [];
  for (const ms of [6 * DAY_MS, LASTS_MS - 1, 5 * DAY_MS, LASTS_MS]) {
    nowMs += ms;
    const { code } = await person.call(METHODS.getAccount, {}, session);
    codes.push(code);
  }
  expect(codes).toEqual(["ok", "ok", "ok", "UNAUTHENTICATED"]);
});
