// The page token of a list that is sorted by time: the position of a page's last entry, in an opaque form (https://google.aip.dev/158). It
// grants nothing: a made-up token only leads to another part of the caller's own list.
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";

/** When the entry was made, and its id. */
export interface PageEnd {
  readonly atMs: number;
  readonly id: string;
}

// Ids are UUIDs; a call's id also has a number after the UUID.
const SHAPE = /^(\d{1,15}) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:-\d{1,15})?)$/;

export const pageTokenAfter = ({ atMs, id }: PageEnd): string => Buffer.from(`${atMs} ${id}`).toString("base64url");

/** The position that a token encodes. Throws a Failure if it is not a token. */
export function pageEndOf(pageToken: string): PageEnd {
  const [, atMs, id] = SHAPE.exec(Buffer.from(pageToken, "base64url").toString("latin1")) ?? [];
  if (id === undefined || pageTokenAfter({ atMs: Number(atMs), id }) !== pageToken) {
    throw new Failure(invalidArgument([{ field: "page_token", description: "must be the next_page_token of an earlier page" }]));
  }
  return { atMs: Number(atMs), id };
}
