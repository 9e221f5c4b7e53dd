import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { KnownKey } from "../../../src/guard/keys/access.ts";
import { KEY_REFUSALS } from "../../../src/guard/keys/access-refusals.ts";
import { RememberedKeys } from "../../../src/guard/keys/credentials.ts";
import { systemRandomness as randomness } from "../../../src/runtime/randomness.ts";
import type { Subscription } from "../../../src/store/records.ts";
import { credentialOf, plansOf, radioPlan } from "../scene.ts";

const plans = plansOf(SERVICE_NAMES.map((service) => ({ ...radioPlan("free", 1000), service })));
// A key without a subscription counts as this many bytes, and each subscription as this many more.
const KEY_BYTES = 850;
const SUBSCRIPTION_BYTES = 300;

// As a driver reads it from a row: a separate string.
const readText = (text: string): string => Buffer.from(text).toString("latin1");
const uuid = (): string => readText(randomness.uuid());

function known(subscriptions: number): KnownKey {
  const accountId = uuid();
  const credential = credentialOf({ key: { id: uuid(), accountId }, account: { id: accountId } });
  const all = SERVICE_NAMES.slice(0, subscriptions).map(
    (service): Subscription => ({ ...(credential.subscriptions[0] as Subscription), id: uuid(), accountId, service }),
  );
  return new KnownKey({ ...credential, subscriptions: all }, plans, KEY_REFUSALS, { cell: 1, epoch: 1 });
}

const textOf = (index: number): string => `qk_live_${String(index).padStart(38, "0")}`;
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const rememberedOf = (keys: RememberedKeys, indexes: readonly number[]): readonly number[] =>
  indexes.filter((index) => keys.get(textOf(index)) !== undefined);

// What is in use once nothing more can be collected: some of what earlier tests left takes several rounds.
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let bytes = Number.POSITIVE_INFINITY;
  for (;;) {
    collect();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed > bytes - KEY_BYTES) {
      return heapUsed;
    }
    bytes = heapUsed;
  }
}

describe("remembered keys", () => {
  test.each([
    [0, 10],
    [1, 7],
    [5, 3],
  ])("of accounts with %i subscriptions fill the memory, and no more: %i of them", (subscriptions, count) => {
    const keys = new RememberedKeys(10 * KEY_BYTES);
    for (const index of range(30)) {
      keys.set(textOf(index), known(subscriptions));
    }
    expect(keys.size).toBe(count);
    expect(Math.floor((10 * KEY_BYTES) / (KEY_BYTES + subscriptions * SUBSCRIPTION_BYTES))).toBe(count);
  });

  test("stay while others come and go, if they are used", () => {
    const keys = new RememberedKeys(10 * KEY_BYTES);
    for (const index of range(1000)) {
      keys.set(textOf(index), known(0));
      expect(rememberedOf(keys, range(5).slice(0, index + 1))).toEqual(range(5).slice(0, index + 1));
    }
    expect(keys.size).toBe(10);
  });

  test("are all kept while there is room, however rarely they are used", () => {
    const keys = new RememberedKeys(1000 * KEY_BYTES);
    for (const index of range(1000)) {
      keys.set(textOf(index), known(0));
    }
    expect(rememberedOf(keys, range(1000))).toHaveLength(1000);
  });

  test("are replaced and deleted only by their own text", () => {
    const keys = new RememberedKeys(10 * KEY_BYTES);
    const [first, second] = [known(0), known(0)];
    keys.set(textOf(1), first);
    // Only the last 16 characters are hashed.
    const twin = `qk_test_${textOf(1).slice(8)}`;
    keys.delete(twin);
    expect([keys.get(textOf(1)), keys.get(twin)]).toEqual([first, undefined]);
    keys.set(twin, second);
    expect([keys.get(textOf(1)), keys.get(twin), keys.size]).toEqual([undefined, second, 1]);
    keys.delete(twin);
    expect([keys.get(twin), keys.size]).toEqual([undefined, 0]);
  });

  test("are counted again when an account has more subscriptions", () => {
    const keys = new RememberedKeys(10 * KEY_BYTES);
    for (const index of range(10)) {
      keys.set(textOf(index), known(0));
    }
    keys.set(textOf(9), known(5));
    expect(keys.size).toBe(8);
  });

  test.each([0, 1, 5])("take about as much memory as is counted, with %i subscriptions", (subscriptions) => {
    const count = 20_000;
    const keys = new RememberedKeys(Number.POSITIVE_INFINITY);
    const before = heapBytes();
    for (const index of range(count)) {
      const one = known(subscriptions);
      one.of("radio");
      // A part of a request's head, which must not stay in memory with it.
      keys.set(`${"x".repeat(2000)}${index} ${textOf(index)}`.slice(-46), one);
    }
    const bytes = (heapBytes() - before) / count;
    expect(keys.get(textOf(1))).toBeDefined();
    expect(bytes / (KEY_BYTES + subscriptions * SUBSCRIPTION_BYTES)).toBeGreaterThan(0.5);
    expect(bytes / (KEY_BYTES + subscriptions * SUBSCRIPTION_BYTES)).toBeLessThan(1.2);
  });
});
