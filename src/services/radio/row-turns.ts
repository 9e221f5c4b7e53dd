// Parses rows of the directory: only as many as requested, and a long list in several turns, between which calls are served.
import { nextTurn } from "../../runtime/event-loop-turn.ts";

// Takes under a millisecond, and not much more if every station has the maximum number of tags.
const ROWS_PER_TURN = 16;

/**
 * The first `rowsMax` rows of a response, each parsed separately. Rejects if `parse` throws, as it also does for anything but a
 * list.
 */
export async function parseInTurns<Row>(
  json: unknown,
  rowsMax: number,
  parse: (json: unknown) => readonly Row[],
): Promise<readonly Row[]> {
  const requested = firstRows(json, rowsMax);
  if (!Array.isArray(requested) || requested.length <= 1) {
    return parse(requested);
  }
  const rows: Row[] = [];
  for (let at = 0; at < requested.length; at += ROWS_PER_TURN) {
    await nextTurn();
    rows.push(...parse(requested.slice(at, at + ROWS_PER_TURN)));
  }
  return rows;
}

/** A response without surplus rows; anything but a list is returned unchanged. */
export const firstRows = (json: unknown, rowsMax: number): unknown => (Array.isArray(json) ? json.slice(0, rowsMax) : json);
