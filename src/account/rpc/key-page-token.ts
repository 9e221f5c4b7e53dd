// The page token of ListKeys: the place of a page's last key, in an opaque form (https://google.aip.dev/158). It grants nothing: a made-up
// one only leads to another part of the caller's own list.
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { KeyPlace } from "../../store/records.ts";

const SHAPE = /^(\d{1,15}) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

export const pageTokenAfter = ({ createdAtMs, id }: KeyPlace): string => Buffer.from(`${createdAtMs} ${id}`).toString("base64url");

/** The place that a token encodes. Throws a Failure if it is not a token. */
export function placeOf(pageToken: string): KeyPlace {
  const [, createdAtMs, id] = SHAPE.exec(Buffer.from(pageToken, "base64url").toString("latin1")) ?? [];
  if (id === undefined || pageTokenAfter({ createdAtMs: Number(createdAtMs), id }) !== pageToken) {
    throw new Failure(invalidArgument([{ field: "page_token", description: "must be the next_page_token of an earlier page" }]));
  }
  return { createdAtMs: Number(createdAtMs), id };
}
