// How fresh and complete a response is, and which error a call gets if a list that it needs has never been read.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { FreshnessSchema } from "../../../../gen/quintet/common/v1/freshness_pb.js";
import { Failure } from "../../../problem/failure.ts";
import type { ListSnapshot } from "../token-directory.ts";

/**
 * How fresh the lists are: the earliest time at which they were last received or found unchanged, and whether the last attempt to read one
 * failed. `listNames` selects lists; by default all are used. Lists that have never been read are not.
 */
export function freshnessOf(
  { index, freshness }: ListSnapshot,
  listNames?: readonly string[],
): MessageInitShape<typeof FreshnessSchema> {
  const used = index.lists.flatMap(({ name }, at) => {
    const { confirmedAtMs, stale = false } = freshness[at] ?? {};
    return confirmedAtMs === undefined || listNames?.includes(name) === false ? [] : [{ confirmedAtMs, stale }];
  });
  return {
    fetchedAt: timestampFromMs(Math.min(...used.map(({ confirmedAtMs }) => confirmedAtMs))),
    stale: used.some(({ stale }) => stale),
  };
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
