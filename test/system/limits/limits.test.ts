// Injects random faults from printed seeds, and checks that every promise about limits still holds.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { postgres } from "../../fixtures/servers/postgres.ts";
import { redis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { FAULTS } from "./faults.ts";
import { runManyNodes } from "./many-nodes.ts";
import { ONE_NODE_FAULTS, runOneNode } from "./one-node.ts";
import { lineOf, type Result, tableOf } from "./result.ts";
import { type Stores, startStores } from "./stores.ts";

// The number of seeds, and the one to repeat. By default, each fault comes first once; most runs have several.
const COUNT = Number(process.env.QUINTET_LIMITS_SEEDS ?? FAULTS.length);
const FIRST = Number(process.env.QUINTET_LIMITS_SEED ?? Math.floor(systemRandomness.unit() * 2 ** 31));
const ONE_NODE_COUNT = Math.ceil(COUNT / 4);

const seeds = (count: number, faults: readonly string[]) =>
  Array.from({ length: count }, (_, index) => [FIRST + index, faults[(FIRST + index) % faults.length]] as const);

const results: Result[] = [];
const record = (result: Result): Result => {
  results.push(result);
  process.stdout.write(`${lineOf(result)}\n`);
  return result;
};
afterAll(() => {
  process.stdout.write(`\n${tableOf(results)}\n\n`);
});

describeWith("missing" in postgres ? postgres : redis, "Several nodes", () => {
  let stores: Stores;
  beforeAll(async () => {
    stores = await startStores();
  });
  afterAll(() => stores.close());

  test.each(seeds(COUNT, FAULTS))("keep every promise about limits: seed %i, %s and others", async (seed) => {
    expect(record(await runManyNodes(stores, seed)).wrong).toEqual([]);
  });
});

describe("One node with the embedded database", () => {
  test.each(seeds(ONE_NODE_COUNT, ONE_NODE_FAULTS))("keeps every promise about limits: seed %i, %s and others", async (seed) => {
    expect(record(await runOneNode(seed)).wrong).toEqual([]);
  });
});
