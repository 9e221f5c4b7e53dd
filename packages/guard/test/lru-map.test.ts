import fc from "fast-check";
import { expect, test } from "vitest";
import { LruMap } from "../src/lru-map.ts";

test("it never holds more than its limit, and returns the value that was set last", () => {
  const step = fc.record({ key: fc.nat(30), set: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), fc.array(step, { maxLength: 300 }), (max, steps) => {
      const map = new LruMap<number, number>(max);
      const last = new Map<number, number>();
      for (const [index, { key, set }] of steps.entries()) {
        if (set) {
          map.set(key, index);
          last.set(key, index);
        }
        expect([undefined, last.get(key)]).toContain(map.get(key));
        expect(map.size).toBeLessThanOrEqual(max);
      }
    }),
  );
});

test("a value that is read stays while others come and go", () => {
  const map = new LruMap<string, string>(100);
  map.set("asked", "here");
  const responses = Array.from({ length: 1000 }, (_, index) => {
    map.set(`passing ${index}`, "");
    return map.get("asked");
  });
  expect(new Set(responses)).toEqual(new Set(["here"]));
  expect(map.get("passing 0")).toBeUndefined();
});

test("a key that is set again counts once, and evicts nothing", () => {
  const map = new LruMap<string, number>(4);
  for (const [index, key] of ["a", "b", "a", "b", "c", "a"].entries()) {
    map.set(key, index);
  }
  expect([map.size, map.get("a"), map.get("b"), map.get("c")]).toEqual([3, 5, 3, 4]);
});

test("a deleted value is gone, whenever it was last read", () => {
  const map = new LruMap<string, string>(4);
  for (const key of ["a", "b", "c"]) {
    map.set(key, key);
  }
  map.delete("a");
  map.delete("c");
  expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([undefined, "b", undefined, 1]);
});
