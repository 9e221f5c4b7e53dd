import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RequestedSpan, spanOf } from "../../src/account/usage-span.ts";
import { Failure } from "../../src/problem/failure.ts";
import { invalidArgument, type Violation } from "../../src/problem/problem.ts";

const today = "2026-11-21";

test.for<{ requested: RequestedSpan; fromDay: string; toDay: string }>([
  { requested: {}, fromDay: "2026-11-01", toDay: today },
  { requested: { toDay: "2026-10-05" }, fromDay: "2026-10-01", toDay: "2026-10-05" },
  { requested: { toDay: "2027-02-28" }, fromDay: "2027-02-01", toDay: "2027-02-28" },
  { requested: { fromDay: "2026-10-05" }, fromDay: "2026-10-05", toDay: today },
  { requested: { fromDay: today }, fromDay: today, toDay: today },
  { requested: { fromDay: "2025-11-21" }, fromDay: "2025-11-21", toDay: today },
  { requested: { fromDay: "2024-01-01", toDay: "2024-12-31" }, fromDay: "2024-01-01", toDay: "2024-12-31" },
  { requested: { fromDay: "2024-02-29", toDay: "2024-02-29" }, fromDay: "2024-02-29", toDay: "2024-02-29" },
  { requested: { fromDay: "0000-01-01", toDay: "0000-01-01" }, fromDay: "0000-01-01", toDay: "0000-01-01" },
])("what $requested leaves out has its default", ({ requested, fromDay, toDay }) => {
  expect(spanOf(requested, today)).toEqual({ fromDay, toDay });
});

describe("an invalid span is refused", () => {
  const noDay = (field: string, day: string): Violation => ({
    field,
    description: `must be a day such as 2026-11-21, not "${day}"`,
  });
  const wrongStart = (description: string): Violation => ({ field: "from_day", description });
  const tooLong = (earliest: string): Violation => wrongStart(`must not be before ${earliest}: at most 366 days are reported`);

  test.for<{ requested: RequestedSpan; violations: readonly Violation[] }>([
    { requested: { fromDay: "2026-02-30" }, violations: [noDay("from_day", "2026-02-30")] },
    { requested: { toDay: "2026-02-30" }, violations: [noDay("to_day", "2026-02-30")] },
    { requested: { toDay: "2025-02-29" }, violations: [noDay("to_day", "2025-02-29")] },
    { requested: { toDay: "2026-13-01" }, violations: [noDay("to_day", "2026-13-01")] },
    { requested: { toDay: "2026-00-10" }, violations: [noDay("to_day", "2026-00-10")] },
    { requested: { toDay: "2026-11-00" }, violations: [noDay("to_day", "2026-11-00")] },
    { requested: { fromDay: "yesterday" }, violations: [noDay("from_day", "yesterday")] },
    { requested: { fromDay: "" }, violations: [noDay("from_day", "")] },
    { requested: { fromDay: "2026-11-21T00:00" }, violations: [noDay("from_day", "2026-11-21T00:00")] },
    { requested: { fromDay: "2026-11-31", toDay: "x" }, violations: [noDay("from_day", "2026-11-31"), noDay("to_day", "x")] },
    { requested: { fromDay: "2026-11-22" }, violations: [wrongStart("must not be after 2026-11-21")] },
    { requested: { fromDay: "2026-11-02", toDay: "2026-11-01" }, violations: [wrongStart("must not be after 2026-11-01")] },
    { requested: { fromDay: "2025-11-20" }, violations: [tooLong("2025-11-21")] },
    { requested: { fromDay: "2024-01-01", toDay: "2025-01-01" }, violations: [tooLong("2024-01-02")] },
    { requested: { fromDay: "0000-01-01", toDay: "9999-12-31" }, violations: [tooLong("9998-12-31")] },
  ])("$requested", ({ requested, violations }) => {
    expect(() => spanOf(requested, today)).toThrow(new Failure(invalidArgument(violations)));
  });
});

test("every span of 1 to 366 days is accepted, and a longer one is not", () => {
  const firstMs = Date.UTC(2000, 0, 1);
  const dayOf = (number: number): string => new Date(firstMs + number * 86_400_000).toISOString().slice(0, 10);
  fc.assert(
    fc.property(fc.nat(40_000), fc.nat(1000), (first, more) => {
      const span = { fromDay: dayOf(first), toDay: dayOf(first + more) };
      if (more < 366) {
        expect(spanOf(span, today)).toEqual(span);
      } else {
        expect(() => spanOf(span, today)).toThrow(Failure);
      }
    }),
  );
});
