// When the data of a response was fetched.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import { type Freshness, FreshnessSchema } from "../../../gen/quintet/common/v1/freshness_pb.js";
import type { DirectoryResponse } from "./directory.ts";

/** The field that says how fresh the data is. A stale response says so in its headers too. */
export function provenance(
  { receivedAtMs, ageSeconds }: Pick<DirectoryResponse<unknown>, "receivedAtMs" | "ageSeconds">,
  { responseHeader }: HandlerContext,
): { freshness: Freshness } {
  const stale = ageSeconds !== undefined;
  if (stale) {
    responseHeader.set("x-quintet-stale", "true");
    responseHeader.set("age", String(ageSeconds));
  }
  return { freshness: create(FreshnessSchema, { fetchedAt: timestampFromMs(receivedAtMs), stale }) };
}
