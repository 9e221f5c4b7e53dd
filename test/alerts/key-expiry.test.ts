// When the owner of a key is alerted that it is about to expire.
import { expect, test } from "vitest";
import { KeyExpiryAlerts } from "../../src/alerts/key-expiry.ts";
import type { ExpiringKey, NewAlert } from "../../src/store/alert-records.ts";

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const nowMs = Date.UTC(2026, 10, 21, 12);

const keyOf = (leftMs: number, lifetimeMs: number | null, id = "k-1"): ExpiringKey => ({
  ...{ id, accountId: "a-1", name: "web", lastFour: "wxyz", lifetimeMs },
  ...{ createdAtMs: nowMs + leftMs - (lifetimeMs ?? 0), expiresAtMs: nowMs + leftMs },
});

async function alertsFor(keys: readonly ExpiringKey[]) {
  const created: NewAlert[] = [];
  const requested: unknown[] = [];
  const alerts = new KeyExpiryAlerts(
    {
      async expiringKeys(untilMs, after, limit) {
        requested.push([untilMs - nowMs, after]);
        const start = keys.findIndex(({ id }) => id === after.id) + 1;
        return keys.slice(start, start + limit);
      },
      async addAlerts(added) {
        created.push(...added);
      },
    },
    { mails: true },
  );
  while (await alerts.next(nowMs)) {}
  return { created, requested };
}

test.each<[string, ExpiringKey, number | undefined]>([
  ["a key of 14 days, a week before", keyOf(7 * DAY_MS, 14 * DAY_MS), 7],
  ["a key valid for less, not a week before", keyOf(7 * DAY_MS, 14 * DAY_MS - 1), undefined],
  ["a key valid for two days, a day before", keyOf(DAY_MS, 2 * DAY_MS), 1],
  ["a key of less, never", keyOf(HOUR_MS, 2 * DAY_MS - 1), undefined],
  ["a key valid for a year, a day before, once more", keyOf(DAY_MS - 1, 365 * DAY_MS), 1],
  ["a rotated key, never", { ...keyOf(DAY_MS, 365 * DAY_MS), createdAtMs: nowMs - DAY_MS }, undefined],
  ["a rotated key that would not have expired, never", keyOf(DAY_MS, null), undefined],
])("%s", async (_, key, level) => {
  const { created } = await alertsFor([key]);
  expect(created).toEqual(
    level === undefined
      ? []
      : [
          {
            ...{ accountId: "a-1", type: "key.expiring", subject: "k-1", level, isMailed: true },
            period: new Date(key.expiresAtMs).toISOString().replace(".000Z", "Z"),
            details: {
              ...{ key_id: "k-1", name: "web", last_four: "wxyz" },
              expires_at: new Date(key.expiresAtMs).toISOString().replace(".000Z", "Z"),
            },
          },
        ],
  );
});

test("all keys are checked, a page at a time", async () => {
  const keys = Array.from({ length: 1100 }, (_, index) => keyOf(DAY_MS + index, 30 * DAY_MS, `k-${index}`));
  const { created, requested } = await alertsFor(keys);
  expect([new Set(created.map(({ subject }) => subject)).size, requested.length, requested[0]]).toEqual([
    1100,
    3,
    [7 * DAY_MS, { expiresAtMs: nowMs, id: "" }],
  ]);
});
