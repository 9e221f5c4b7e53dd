// GetList: one list, page by page.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { nearestName, withoutSecrets } from "@quintet/transcoding";
import type { GetListRequest, GetListResponseSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { Failure } from "../../../problem/failure.ts";
import { following } from "../../next-offset.ts";
import type { IndexedList } from "../index/token-index.ts";
import { versionText } from "../lists/list-document.ts";
import type { ListSnapshot } from "../token-directory.ts";
import { freshnessOf, missingLists } from "./freshness.ts";
import { LIMIT_DEFAULT, readChainFilter } from "./request-checks.ts";

/** Throws a Failure: INVALID_ARGUMENT, NOT_FOUND or UPSTREAM_FAILED. */
export function getList(request: GetListRequest, snapshot: ListSnapshot): MessageInitShape<typeof GetListResponseSchema> {
  const { limit = LIMIT_DEFAULT, offset } = request;
  const { name, checked, tokens, tokensByChain } = findList(request.list, snapshot.index.lists);
  const chainId = readChainFilter(request.chain, snapshot.index);
  if (checked === undefined) {
    const message = `The list ${name} could not be read yet; the call was not counted.`;
    throw new Failure({ reason: "UPSTREAM_FAILED", message });
  }
  const all = chainId === undefined ? tokens : (tokensByChain.get(chainId) ?? []);
  const results = all.slice(offset, offset + limit);
  const { title, version, timestampMs } = checked;
  return {
    total: all.length,
    ...following(offset + results.length < all.length, offset, limit),
    list: { name, title, version: versionText(version), publishedAt: timestampFromMs(timestampMs) },
    results,
    freshness: freshnessOf(snapshot, [name]),
    missingLists: missingLists(snapshot),
  };
}

function findList(given: string, lists: readonly IndexedList[]): IndexedList {
  const wanted = given.trim().toLowerCase();
  const found = lists.find(({ name }) => name === wanted);
  if (found === undefined) {
    const names = lists.map(({ name }) => name);
    const near = nearestName(wanted, names);
    const suggestion = near === undefined ? "" : ` Did you mean \`${near}\`?`;
    const message = `There is no list called "${withoutSecrets(given)}".${suggestion} The lists are ${names.join(", ")}.`;
    throw new Failure({ reason: "NOT_FOUND", message });
  }
  return found;
}
