import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StreamTable } from "../../src/h2/open-streams.ts";

describe("a table of streams", () => {
  test("finds, removes and lists like a Map, in whatever order streams end", () => {
    const step = fc.oneof(
      fc.record({ opened: fc.constantFrom(2, 4, 6) }),
      // Of ids, some of which are not in it.
      fc.record({ ended: fc.nat({ max: 120 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const table = new StreamTable<{ readonly id: number }>();
        const expected = new Map<number, { readonly id: number }>();
        let highestId = -1;
        for (const drawn of steps) {
          if ("opened" in drawn) {
            highestId += drawn.opened;
            const stream = { id: highestId };
            table.add(stream);
            expected.set(highestId, stream);
          } else {
            table.delete(drawn.ended);
            expected.delete(drawn.ended);
          }
          expect(table.size).toBe(expected.size);
          expect(table.all()).toEqual([...expected.values()]);
        }
        for (let id = 0; id <= highestId + 1; id += 1) {
          expect(table.find(id)).toBe(expected.get(id));
        }
      }),
    );
  });

  test("may change while a caller goes through all streams", () => {
    const table = new StreamTable<{ readonly id: number }>();
    for (const id of [1, 3, 5, 7]) {
      table.add({ id });
    }
    const seen: number[] = [];
    for (const { id } of table.all()) {
      seen.push(id);
      table.delete(id);
    }
    expect([seen, table.size]).toEqual([[1, 3, 5, 7], 0]);
  });
});
