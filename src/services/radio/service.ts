// RadioService on the Connect router: requests become queries to the directory, and its rows become answers.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import { RadioService, type SearchRequest, type SearchResponseSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { DataService } from "../service.ts";
import { createDirectory, type Directory, type DirectoryAnswer, type DirectoryOptions } from "./directory.ts";
import { COUNTRIES_QUERY, searchOf, stationQuery, tagsQuery, topVotedQuery } from "./directory-query.ts";
import { mergedTags } from "./listing.ts";
import { usableStations } from "./station.ts";

/** Makes the radio service. From its beginning until it is closed it keeps its list of mirrors up to date. */
export function createRadio(options: DirectoryOptions): DataService<typeof RadioService> {
  const directory = createDirectory(options);
  return {
    name: "radio",
    desc: RadioService,
    implementation: {
      search: (request, context) => search(directory, request, context),

      async getStation(request, context) {
        const uuid = request.uuid.toLowerCase();
        const answer = await directory.ask(stationQuery(uuid), context);
        const found = answer.rows.find(({ station }) => station.uuid === uuid && station.url !== "");
        if (found === undefined) {
          throw new Failure({ reason: "NOT_FOUND", message: `The radio directory has no station with the uuid ${uuid}.` });
        }
        if (found.broken) {
          const message = `The station ${uuid} is hidden: its stream was broken when the radio directory last checked it.`;
          throw new Failure({ reason: "NOT_FOUND", message });
        }
        return { station: found.station, ...provenance(answer, context) };
      },

      async listTopVoted({ limit = 20 }, context) {
        const answer = await directory.ask(topVotedQuery(limit), context);
        const results = usableStations(answer.rows.slice(0, limit)).sort((one, other) => other.votes - one.votes);
        return { count: results.length, hasMore: answer.rows.length > limit, results, ...provenance(answer, context) };
      },

      async listCountries(_request, context) {
        const answer = await directory.ask(COUNTRIES_QUERY, context);
        const total = answer.rows.length;
        return { count: total, total, hasMore: false, results: [...answer.rows], ...provenance(answer, context) };
      },

      async listTags({ limit = 50 }, context) {
        const answer = await directory.ask(tagsQuery(limit), context);
        const results = mergedTags(answer.rows.slice(0, limit));
        return { count: results.length, hasMore: answer.rows.length > limit, results, ...provenance(answer, context) };
      },
    },
    begin: () => directory.begin(),
    close: () => directory.close(),
  };
}

async function search(
  directory: Directory,
  request: SearchRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof SearchResponseSchema>> {
  const { bitrateMin = 0, bitrateMax } = request;
  if (bitrateMax !== undefined && bitrateMax < bitrateMin) {
    throw new Failure(invalidArgument([{ field: "bitrate_max", description: `must not be less than bitrate_min, ${bitrateMin}` }]));
  }
  const { query, filters, limit, offset, holds } = searchOf(request);
  const answer = await directory.ask(query, context);
  // A mirror may fail to hide broken stations, or answer too many rows.
  const results = usableStations(answer.rows.slice(0, limit)).filter(holds);
  const hasMore = answer.rows.length > limit;
  return { count: results.length, hasMore, limit, offset, filters, results, ...provenance(answer, context) };
}

// How old the answer is. Also in headers, because the REST answer of a single station has no field for it.
function provenance(
  { receivedAtMs, ageSeconds }: DirectoryAnswer<unknown>,
  { responseHeader }: HandlerContext,
): { asOf: Timestamp; age?: number } {
  const asOf = timestampFromMs(receivedAtMs);
  if (ageSeconds === undefined) {
    return { asOf };
  }
  responseHeader.set("x-quintet-stale", "true");
  responseHeader.set("age", String(ageSeconds));
  return { asOf, age: ageSeconds };
}
