// When the data of a response was fetched.
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import type { DirectoryResponse } from "./directory.ts";

/** The fields that say when the data was fetched. A stale response says so in its headers too. */
export function provenance(
  { receivedAtMs, ageSeconds }: Pick<DirectoryResponse<unknown>, "receivedAtMs" | "ageSeconds">,
  { responseHeader }: HandlerContext,
): { fetchedAt: Timestamp; ageSeconds?: number } {
  const fetchedAt = timestampFromMs(receivedAtMs);
  if (ageSeconds === undefined) {
    return { fetchedAt };
  }
  responseHeader.set("x-quintet-stale", "true");
  responseHeader.set("age", String(ageSeconds));
  return { fetchedAt, ageSeconds };
}
