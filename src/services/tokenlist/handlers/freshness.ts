// How fresh and complete a response is, and which error a call gets if a list that it needs has never been read.
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Failure } from "../../../problem/failure.ts";
import type { ListSnapshot } from "../token-directory.ts";

/**
 * The earliest of the times at which the lists were last received or found unchanged. `listNames` selects lists; by default all are used.
 */
export function fetchedAt({ index, freshness }: ListSnapshot, listNames?: readonly string[]): Timestamp {
  const times = index.lists.flatMap(({ name }, at) => {
    const confirmedAtMs = freshness[at]?.confirmedAtMs;
    return confirmedAtMs === undefined || listNames?.includes(name) === false ? [] : [confirmedAtMs];
  });
  return timestampFromMs(Math.min(...times));
}

/** The lists that have never been read. */
export const missingLists = ({ index }: ListSnapshot): string[] =>
  index.lists.filter(({ checked }) => checked === undefined).map(({ name }) => name);

/** NOT_FOUND, or UPSTREAM_FAILED if a list that has never been read might have what was requested. */
export function notFound(snapshot: ListSnapshot, message: string): Failure {
  const unread = missingLists(snapshot);
  if (unread.length === 0) {
    return new Failure({ reason: "NOT_FOUND", message });
  }
  const which = unread.length === 1 ? "a list" : "some lists";
  return new Failure({
    reason: "UPSTREAM_FAILED",
    message: `${message} But ${which} could not be read yet: ${unread.join(", ")}. The call was not counted.`,
  });
}
