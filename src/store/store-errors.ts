// The errors of the store, the same for every database.

/** The database could not be asked or did not answer in time. Nothing was changed, or it is not known whether it was. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** The change would break a rule: the name is taken, the thing does not exist, the state does not allow it. The message says which. */
export class StoreConflict extends Error {
  override readonly name = "StoreConflict";
}

/** There are more usage counts than are added up at once: more than the given number. */
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
