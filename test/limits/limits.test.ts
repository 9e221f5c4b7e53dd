// Random faults, from printed seeds, and whether every promise about limits holds through them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemRandomness } from "../../src/randomness.ts";
import { postgres } from "../servers/postgres.ts";
import { redis } from "../servers/redis.ts";
import { describeWith } from "../servers/server-process.ts";
import { FAULTS } from "./faults.ts";
import { runManyNodes, type Stores, startStores } from "./many-nodes.ts";
import { lineOf, type Result, tableOf } from "./result.ts";

// How many seeds there are, and the one to repeat.
const COUNT = Number(process.env.QUINTET_LIMITS_SEEDS ?? 22);
const FIRST = Number(process.env.QUINTET_LIMITS_SEED ?? Math.floor(systemRandomness.unit() * 2 ** 31));
const EMBEDDED_COUNT = Math.ceil(COUNT / 5);

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

  test.each(Array.from({ length: COUNT }, (_, index) => [FIRST + index, FAULTS[(FIRST + index) % FAULTS.length]] as const))(
    "keep every promise about limits through faults: seed %i, first of all %s",
    async (seed) => {
      const result = record(await runManyNodes(stores, seed, seed));
      expect(result.wrong).toEqual([]);
    },
  );
});
void EMBEDDED_COUNT;
