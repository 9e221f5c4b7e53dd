import { describe, expect, test } from "vitest";
import { systemRandomness } from "../../src/runtime/randomness.ts";

describe("the machine's randomness", () => {
  test("generates version 4 UUIDs, each different", () => {
    const uuids = Array.from({ length: 2000 }, () => systemRandomness.uuid());
    expect(uuids.filter((uuid) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid))).toEqual([]);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  test("generates as many bytes as requested", () => {
    expect([0, 1, 32].map((count) => systemRandomness.bytes(count).byteLength)).toEqual([0, 1, 32]);
  });

  test("generates numbers from 0 up to but not including 1", () => {
    const units = Array.from({ length: 1000 }, () => systemRandomness.unit());
    expect(units.filter((unit) => unit < 0 || unit >= 1)).toEqual([]);
  });
});
