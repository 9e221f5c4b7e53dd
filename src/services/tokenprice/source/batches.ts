// Splits a list of tokens into requests that the price source accepts. Its limit is the length of the URL. Pure.

/** The limits of one request. */
export interface BatchBounds {
  readonly tokensMax: number;
  /** The most characters that the encoded list may have. */
  readonly charactersMax: number;
  /** How many characters a token takes in the list. By default as many as in `pathOf`, with a comma. */
  readonly charactersOf?: (id: string) => number;
}

/** The part of a URL's path that lists tokens. Colons and commas stay unescaped; everything that could end a path is escaped. */
export function pathOf(ids: readonly string[]): string {
  return ids.map((id) => encodeURIComponent(id).replaceAll("%3A", ":")).join(",");
}

/**
 * Lists of tokens within the limits, sorted, so that the same tokens make the same URL. A token longer than the limit gets a list
 * of its own.
 */
export function batchesOf(
  ids: readonly string[],
  { tokensMax, charactersMax, charactersOf = (id) => pathOf([id]).length + 1 }: BatchBounds,
): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const id of [...ids].sort()) {
    const batch = batches.at(-1);
    const added = charactersOf(id);
    if (batch === undefined || batch.length >= tokensMax || characters + added > charactersMax) {
      batches.push([id]);
      characters = added;
    } else {
      batch.push(id);
      characters += added;
    }
  }
  return batches;
}
