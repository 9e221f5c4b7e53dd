// RadioService on the Connect router: requests become queries to the directory, and its rows become responses.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type Language,
  RadioService,
  type SearchStationsRequest,
  type SearchStationsResponseSchema,
  type State,
  type Tag,
} from "../../../gen/quintet/radio/v1/radio_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { DataService } from "../service.ts";
import { codeOfCountry } from "./country/country-names.ts";
import { DIRECTORY_NAMES } from "./country/directory-names.ts";
import { createDirectory, type Directory, type DirectoryOptions, type DirectoryResponse } from "./directory.ts";
import {
  CODECS_QUERY,
  COUNTRIES_QUERY,
  languagesQuery,
  searchOf,
  statesQuery,
  stationsQuery,
  tagsQuery,
  topVotedQuery,
} from "./directory-query.ts";
import { merged } from "./listing.ts";
import { usableStations } from "./station.ts";

/** From `begin` until it is closed, keeps its list of mirrors up to date. */
export function createRadio(options: DirectoryOptions): DataService<typeof RadioService> {
  const directory = createDirectory(options);
  return {
    name: "radio",
    desc: RadioService,
    implementation: {
      searchStations: (request, context) => searchStations(directory, request, context),

      async getStation(request, context) {
        const uuid = request.uuid.toLowerCase();
        const response = await directory.query(stationsQuery([uuid]), context);
        const found = response.rows.find((station) => station.uuid === uuid && station.url !== "");
        if (found === undefined) {
          throw unknownStation(uuid);
        }
        return { station: { ...found, ...provenance(response, context) } };
      },

      async batchGetStations(request, context) {
        const uuids = [...new Set(request.uuids.map((uuid) => uuid.toLowerCase()))];
        const response = await directory.query(stationsQuery(uuids), context);
        const found = new Map(usableStations(response.rows, true).map((station) => [station.uuid, station]));
        const results = uuids.flatMap((uuid) => found.get(uuid) ?? []);
        const missing = uuids.filter((uuid) => !found.has(uuid));
        return { count: results.length, results, missing, ...provenance(response, context) };
      },

      async listTopVoted({ limit = 20, includeBroken }, context) {
        const response = await directory.query(topVotedQuery(limit, includeBroken), context);
        const results = usableStations(response.rows.slice(0, limit), includeBroken).sort((one, other) => other.votes - one.votes);
        return { count: results.length, hasMore: response.rows.length > limit, results, ...provenance(response, context) };
      },

      async listCountries(_request, context) {
        const response = await directory.query(COUNTRIES_QUERY, context);
        return { ...whole([...response.rows]), ...provenance(response, context) };
      },

      async listTags({ limit = 50, offset = 0 }, context) {
        const response = await directory.query(tagsQuery({ limit, offset }), context);
        return { ...page(response.rows, limit), ...provenance(response, context) };
      },

      async listLanguages({ limit = 50, offset = 0 }, context) {
        const response = await directory.query(languagesQuery({ limit, offset }), context);
        return { ...page(response.rows, limit), ...provenance(response, context) };
      },

      async listStates({ limit = 50, offset = 0, countrycode }, context) {
        const code = knownCode(countrycode);
        const response = await directory.query(statesQuery({ limit, offset }, code), context);
        return { ...page(response.rows, limit), ...provenance(response, context) };
      },

      async listCodecs(_request, context) {
        const response = await directory.query(CODECS_QUERY, context);
        return { ...whole(merged(response.rows)), ...provenance(response, context) };
      },

      async reportPlay(request, context) {
        const uuid = request.uuid.toLowerCase();
        const play = await directory.reportPlay(uuid, context);
        if (play === undefined) {
          throw unknownStation(uuid);
        }
        const { url, broken } = play;
        return { uuid, broken, ...(url === undefined ? {} : { url }) };
      },
    },
    begin: () => directory.begin(),
    close: () => directory.close(),
  };
}

async function searchStations(
  directory: Directory,
  request: SearchStationsRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof SearchStationsResponseSchema>> {
  const { bitrateMin = 0, bitrateMax } = request;
  if (bitrateMax !== undefined && bitrateMax < bitrateMin) {
    throw new Failure(invalidArgument([{ field: "bitrate_max", description: `must not be less than bitrate_min, ${bitrateMin}` }]));
  }
  knownCode(request.countrycode);
  const { query, filters, limit, offset, matches } = searchOf(request);
  const response = await directory.query(query, context);
  // A mirror may fail to hide broken stations, or return too many rows.
  const results = usableStations(response.rows.slice(0, limit), request.includeBroken).filter(matches);
  const hasMore = response.rows.length > limit;
  return { count: results.length, hasMore, limit, offset, filters, results, ...provenance(response, context) };
}

const unknownStation = (uuid: string): Failure =>
  new Failure({ reason: "NOT_FOUND", message: `The radio directory has no station with the uuid ${uuid}.` });

// A list that the directory returns whole.
const whole = <Row>(results: Row[]) => ({ count: results.length, total: results.length, hasMore: false, results });

// One page of a list. One more row was requested from the directory, which shows whether there is another page.
function page<Row extends Tag | Language | State>(rows: readonly Row[], limit: number) {
  const results = merged(rows.slice(0, limit));
  return { count: results.length, hasMore: rows.length > limit, results };
}

// The code in upper case; undefined if none is given. Stations never have a code that ISO does not define, so none can be
// requested.
function knownCode(given: string): string | undefined {
  const code = given.trim().toUpperCase();
  if (code === "" || DIRECTORY_NAMES.has(code)) {
    return code === "" ? undefined : code;
  }
  const meant = codeOfCountry(code);
  const hint = meant === undefined ? "" : `; that of ${DIRECTORY_NAMES.get(meant)} is ${meant}`;
  const description = `must be an ISO 3166-1 alpha-2 code, such as DE, not "${code}"${hint}`;
  throw new Failure(invalidArgument([{ field: "countrycode", description }]));
}

// The fields that say when the data was fetched. A stale response says so in its headers too.
function provenance(
  { receivedAtMs, ageSeconds }: DirectoryResponse<unknown>,
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
