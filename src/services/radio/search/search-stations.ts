// Searches stations: by filters, which is one request to the directory, or by a query in words, which takes several.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { SearchStationsRequest, SearchStationsResponseSchema } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { Failure } from "../../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../../problem/problem.ts";
import { following } from "../../next-offset.ts";
import { requestedCode } from "../country/requested-code.ts";
import type { Directory } from "../directory.ts";
import { searchOf } from "../directory-query.ts";
import { provenance } from "../provenance.ts";
import { usableStations } from "../station.ts";
import { searchWords } from "./search-words.ts";
import type { VocabularyKeeper } from "./vocabulary.ts";
import { wordsOf } from "./words.ts";

type Response = MessageInitShape<typeof SearchStationsResponseSchema>;

/** Throws a Failure: INVALID_ARGUMENT if parameters contradict each other, and what the directory throws. */
export async function searchStations(
  directory: Directory,
  vocabulary: VocabularyKeeper,
  request: SearchStationsRequest,
  context: HandlerContext,
): Promise<Response> {
  const violations = contradictions(request);
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  requestedCode(request.countrycode);
  const search = await searchOf(request);
  if (search.filters.query !== undefined) {
    return searchWords({ directory, vocabulary, search, context, words: wordsOf(search.filters.query) });
  }
  const { query, filters, limit, offset, matches } = search;
  const response = await directory.query(query, context);
  // A mirror may fail to hide broken stations, or return too many rows.
  const results = usableStations(response.rows.slice(0, limit), request.includeBroken).filter(matches);
  const next = following(response.rows.length > limit, offset, limit);
  return { count: results.length, ...next, limit, offset, filters, results, ...provenance(response, context) };
}

function contradictions({ query, name, order, reverse, bitrateMin = 0, bitrateMax }: SearchStationsRequest): readonly Violation[] {
  const isQuery = query.trim() !== "";
  const checks: readonly (readonly [wrong: boolean, field: string, description: string])[] = [
    [bitrateMax !== undefined && bitrateMax < bitrateMin, "bitrate_max", `must not be less than bitrate_min, ${bitrateMin}`],
    [isQuery && wordsOf(query).length === 0, "query", "must contain a letter or a digit"],
    [isQuery && name.trim() !== "", "name", "must be left out if there is a query, which searches names too"],
    [isQuery && order !== "" && order !== "relevance", "order", "must be relevance or left out if there is a query"],
    [isQuery && reverse, "reverse", "must be false or left out if there is a query: its best match always comes first"],
    [!isQuery && order === "relevance", "order", "must not be relevance without a query"],
  ];
  return checks.flatMap(([wrong, field, description]) => (wrong ? [{ field, description }] : []));
}
