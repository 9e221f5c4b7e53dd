// Alerts about keys that will expire, a week and a day before. There is no alert about a rotated key: its owner chose when it ends.
import { isoTime } from "../runtime/iso-time.ts";
import type { ExpiringKey, NewAlert } from "../store/alert-records.ts";
import type { AdminStore } from "../store/store.ts";

const DAY_MS = 86_400_000;
// Each alert is only for keys with a lifetime of at least twice as many days. For other keys, it would come soon after they were created.
const ALERT_LEVELS = [
  { days: 1, lifetimeMsMin: 2 * DAY_MS },
  { days: 7, lifetimeMsMin: 14 * DAY_MS },
] as const;
const FIRST_ALERT_MS = 7 * DAY_MS;
const PAGE_SIZE = 500;

type Position = Pick<ExpiringKey, "expiresAtMs" | "id">;

/** Creates the alerts that are due, a page of keys at a time. */
export class KeyExpiryAlerts {
  readonly #store: Pick<AdminStore, "expiringKeys" | "addAlerts">;
  readonly #mails: boolean;
  #after: Position | undefined;

  constructor(store: Pick<AdminStore, "expiringKeys" | "addAlerts">, { mails }: { readonly mails: boolean }) {
    this.#store = store;
    this.#mails = mails;
  }

  /** Returns whether there are more keys to look at now. Rejects as the store does. */
  async next(nowMs: number): Promise<boolean> {
    const keys = await this.#store.expiringKeys(nowMs + FIRST_ALERT_MS, this.#after ?? { expiresAtMs: nowMs, id: "" }, PAGE_SIZE);
    const alerts = keys.flatMap((key) => alertOf(key, nowMs) ?? []);
    if (alerts.length > 0) {
      await this.#store.addAlerts(alerts, { mails: this.#mails });
    }
    this.#after = keys.length === PAGE_SIZE ? keys.at(-1) : undefined;
    return this.#after !== undefined;
  }
}

/** The alert about a key; undefined if none is due. */
function alertOf(key: ExpiringKey, nowMs: number): NewAlert | undefined {
  const { id, accountId, name, lastFour, createdAtMs, expiresAtMs, lifetimeMs } = key;
  if (lifetimeMs === null || expiresAtMs < createdAtMs + lifetimeMs) {
    return undefined;
  }
  const level = ALERT_LEVELS.find(({ days, lifetimeMsMin }) => expiresAtMs - nowMs <= days * DAY_MS && lifetimeMs >= lifetimeMsMin);
  return (
    level && {
      accountId,
      type: "key.expiring",
      subject: id,
      period: isoTime(expiresAtMs),
      level: level.days,
      isMailed: true,
      details: { key_id: id, name, last_four: lastFour, expires_at: isoTime(expiresAtMs) },
    }
  );
}
