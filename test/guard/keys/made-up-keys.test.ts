// Neither made-up keys with a valid checksum nor customers who constantly change their keys affect other customers.

import { hashSecret } from "@quintet/guard";
import { describe, expect, test } from "vitest";
import { UNKNOWN_KEYS_PER_NETWORK } from "../../../src/guard/keys/credentials.ts";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { createScene, credentialOf, NOON_MS, problemOf, radioPlan, type Scene, settled } from "../scene.ts";

const lookups = ({ store }: Scene): number => store.requested.filter((question) => question === "findCredential").length;
const madeUp = (count: number): string[] => Array.from({ length: count }, () => generateKey(systemRandomness).secret);
/** Addresses in different networks. */
const addresses = (count: number): string[] => Array.from({ length: count }, (_, index) => `192.0.${index}.1`);

describe("a change of one account", () => {
  test("causes no lookups of other accounts' keys", async () => {
    const scene = createScene();
    await scene.admit();
    const before = lookups(scene);
    for (let change = 0; change < 500; change++) {
      scene.store.announce(`another-${change % 10}`);
      expect((await scene.admit()).admitted).toBe(true);
    }
    expect(lookups(scene)).toBe(before);
    scene.store.announce("acme");
    await scene.admit();
    expect(lookups(scene)).toBe(before + 1);
  });

  test("during a lookup applies to a key of that account, and costs one of another account one more lookup", async () => {
    const scene = createScene();
    const decisions: Promise<unknown>[] = [];
    for (const account of ["another", "acme"]) {
      scene.store.fault = "silent";
      scene.store.credentials.set(scene.key.hash, credentialOf());
      scene.store.announce("acme");
      const decision = scene.admit();
      await settled();
      scene.store.credentials.set(scene.key.hash, credentialOf({ key: { revokedAtMs: NOON_MS } }));
      scene.store.announce(account);
      scene.store.release();
      decisions.push(decision);
      await decision;
    }
    const [another, acme] = (await Promise.all(decisions)) as Awaited<ReturnType<Scene["admit"]>>[];
    // The account of a new key is unknown until the response arrives.
    expect(problemOf(another as never).reason).toBe("KEY_REVOKED");
    expect(problemOf(acme as never).reason).toBe("KEY_REVOKED");
    expect(lookups(scene)).toBe(4);
  });

  test("lets only that account query a used-up month again", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1)] });
    await scene.admitted(3);
    const leases = (): number => scene.store.requested.filter((question) => question.startsWith("lease")).length;
    const before = leases();
    scene.store.announce("another");
    await scene.admitted(3);
    expect(leases()).toBe(before);
    scene.store.announce("acme");
    await scene.admitted(1);
    expect(leases()).toBe(before + 1);
  });
});

describe("lookups of keys that were never seen", () => {
  test("run a few at a time; a bounded number waits, and the others are refused at once with a retry time", async () => {
    const scene = createScene({ limits: { unknownLookupsMax: 2, unknownWaitersMax: 3 } });
    scene.store.fault = "silent";
    const decisions = madeUp(10).map((key, index) => scene.admit({ key, address: addresses(10)[index] as string }));
    const rejected = await Promise.all(decisions.slice(5));
    expect(rejected.map((decision) => problemOf(decision))).toEqual(
      Array(5).fill(expect.objectContaining({ reason: "LIMITS_UNAVAILABLE", retryAfterMs: 1000 })),
    );
    expect(lookups(scene)).toBe(2);
    scene.store.release();
    const reasons = (await Promise.all(decisions.slice(0, 5))).map((decision) => problemOf(decision).reason);
    expect(reasons).toEqual(Array(5).fill("KEY_INVALID"));
  });

  test("do not delay lookups of keys that were valid before", async () => {
    const scene = createScene({ limits: { unknownLookupsMax: 2, unknownWaitersMax: 3 } });
    await scene.admit();
    scene.store.fault = "silent";
    const decisions = madeUp(5).map((key) => scene.admit({ key }));
    await settled();
    scene.store.announce("acme");
    scene.store.fault = "none";
    expect((await scene.admit()).admitted).toBe(true);
    scene.store.release();
    await Promise.all(decisions);
  });

  test("leave time for other work in between", async () => {
    const scene = createScene({ limits: { unknownLookupsMax: 1 } });
    const order: string[] = [];
    const decisions = madeUp(3).map((key) => scene.admit({ key }).then(() => order.push("made-up key")));
    for (let turn = 0; turn < 3; turn++) {
      setImmediate(() => order.push("turn"));
      await settled();
    }
    await Promise.all(decisions);
    expect(order.filter((who, index) => who === "made-up key" && order[index + 1] === "made-up key")).toEqual([]);
    expect(order.filter((who) => who === "made-up key")).toHaveLength(3);
  });
});

describe("a new customer's key", () => {
  const limits = { unknownLookupsMax: 2, unknownWaitersMax: 16 };
  const NEWCOMER = { address: "198.51.100.7" };
  const reasonsOf = async (decisions: readonly Promise<Parameters<typeof problemOf>[0]>[]): Promise<readonly string[]> =>
    (await Promise.all(decisions)).map((decision) => (decision.admitted ? "OK" : decision.problem.reason));

  /** Each address tries this many made-up keys at once. */
  const guess = (scene: Scene, from: readonly string[], keysEach: number) =>
    from.flatMap((address) => madeUp(keysEach).map((key) => scene.admit({ key, address })));

  /** The outcome for a new customer whose call comes after guesses that still wait for the store. */
  async function reasonDuring(scene: Scene, from: readonly string[], keysEach: number): Promise<readonly string[]> {
    scene.store.fault = "silent";
    const guesses = guess(scene, from, keysEach);
    const newcomer = scene.admit(NEWCOMER);
    await settled();
    scene.store.release();
    const reasons = await reasonsOf([newcomer]);
    await Promise.all(guesses);
    return reasons;
  }

  test("is looked up even if one address sends made-up keys endlessly", async () => {
    const scene = createScene({ limits });
    expect(await reasonDuring(scene, ["203.0.113.1"], 1000)).toEqual(["OK"]);
  });

  test("is looked up even if many addresses do, once each has used up its guesses", async () => {
    const scene = createScene({ limits });
    const from = addresses(100);
    for (let tried = 0; tried < UNKNOWN_KEYS_PER_NETWORK.burst; tried += 1) {
      for (const address of from) {
        await scene.admit({ key: madeUp(1)[0], address });
      }
    }
    expect(await reasonDuring(scene, from, 10)).toEqual(["OK"]);
  });

  test("does not count as a guess once it is found, so an address may send any number of them", async () => {
    const scene = createScene({ limits });
    const keys = madeUp(50);
    for (const key of keys) {
      scene.store.credentials.set(hashSecret(key), credentialOf());
      expect((await scene.admit({ key, ...NEWCOMER })).admitted).toBe(true);
    }
    expect(await reasonDuring(scene, ["203.0.113.1"], 1000)).toEqual(["OK"]);
  });
});
