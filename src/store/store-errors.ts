// The errors of the store, the same for every database.
import type { FailureKind } from "./backend.ts";

/** The database could not be reached or did not respond in time. The change may or may not have been made. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/**
 * The change would break a rule: for example the name is taken, the account does not exist, or its state does not allow it. The message
 * says which rule.
 */
export class StoreConflict extends Error {
  override readonly name = "StoreConflict";
}

/** Another account of the same mailbox has the free plan of the service. */
export class FreePlanTaken extends StoreConflict {
  constructor(service: string) {
    super(
      `Another account with your mailbox has the free plan of ${service}, and all addresses like name+tag@example.com of one mailbox share ` +
        "one free plan. Use it there, cancel it there first, or choose a paid plan here.",
    );
  }
}

/** There are more usage counts than may be added up at once. */
export class TooMuchUsage extends Error {
  override readonly name = "TooMuchUsage";

  constructor(countsMax: number) {
    super(`There are more than ${countsMax} counts.`);
  }
}

/** The store cannot be opened: another server has it, or this version cannot use the database. The message says what to do. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
}

/** Converts a driver's error to one of the store's errors above. Returns the error itself if the query was wrong. */
export function storeErrorOf(kind: FailureKind, error: unknown): unknown {
  if (error instanceof StoreConflict) {
    return error;
  }
  switch (kind) {
    case "unavailable":
      return new StoreUnavailable("The database could not be queried.", { cause: error });
    case "conflict":
      return new StoreConflict("The change breaks a rule of the database, and nothing was changed.", { cause: error });
    case "defect":
      return error;
  }
}
