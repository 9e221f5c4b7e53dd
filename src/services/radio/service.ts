// The handlers of RadioService: requests become queries to the directory, and its rows become responses.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { withoutSecrets } from "@quintet/transcoding";
import {
  type Language,
  RadioService,
  type SearchStationsResponseSchema,
  type State,
  type Station,
  type Tag,
} from "../../../gen/quintet/radio/v1/radio_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { following } from "../next-offset.ts";
import type { DataService } from "../service.ts";
import { requestedCode } from "./country/requested-code.ts";
import { createDirectory, type DirectoryOptions } from "./directory.ts";
import {
  CODECS_QUERY,
  COUNTRIES_QUERY,
  languagesQuery,
  statesQuery,
  stationsQuery,
  tagsQuery,
  topVotedQuery,
} from "./directory-query.ts";
import { merged } from "./listing.ts";
import { provenance } from "./provenance.ts";
import { searchStations } from "./search/search-stations.ts";
import { keepVocabulary } from "./search/vocabulary.ts";
import { distinctStreams, usableStations } from "./station.ts";
import { surelyLasts } from "./stream-url.ts";

/** The service keeps its list of mirrors up to date from `begin` until it is closed. */
export function createRadio(options: DirectoryOptions): DataService<typeof RadioService> {
  const directory = createDirectory(options);
  const vocabulary = keepVocabulary(directory, options.clock);

  // The directory finds nothing for a codec that it does not know, and for a list of codecs.
  const refuseUnknownCodec = async (codec: string | undefined, context: HandlerContext): Promise<void> => {
    const response = codec === undefined ? undefined : await directory.query(CODECS_QUERY, context).catch(() => undefined);
    const known = merged(response?.rows ?? []).map(({ name }) => name);
    if (known.length > 0 && !known.some((name) => name.toLowerCase() === codec?.toLowerCase())) {
      // Some names contain commas.
      throw new Failure(
        invalidArgument([
          { field: "codec", description: `must be one of ${known.join("; ")}, not "${withoutSecrets(codec ?? "")}"` },
        ]),
      );
    }
  };

  // The directory's response to a report has only the resolved URL, which may not last.
  const urlsOf = async (uuid: string, resolved: string, context: HandlerContext) => {
    const response = await directory.query(stationsQuery([uuid]), context).catch(() => undefined);
    const own = response?.rows.find((station) => station.uuid === uuid)?.url ?? "";
    const url = own === "" ? resolved : own;
    return { ...(url === "" ? {} : { url }), ...(resolved === "" ? {} : { urlResolved: resolved }) };
  };

  return {
    name: "radio",
    desc: RadioService,
    implementation: {
      async searchStations(request, context) {
        const response = await searchStations(directory, vocabulary, request, context);
        if (response.results?.length === 0) {
          await refuseUnknownCodec(response.filters?.codec, context);
        }
        if (!request.distinct) {
          return response;
        }
        // What was found are whole stations.
        const results = distinctStreams((response.results ?? []) as Station[]);
        return { ...response, count: results.length, results } as MessageInitShape<typeof SearchStationsResponseSchema>;
      },

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
        // The first spelling of each.
        const given = new Map(request.uuids.toReversed().map((uuid) => [uuid.toLowerCase(), uuid]));
        const uuids = [...new Set(request.uuids.map((uuid) => uuid.toLowerCase()))];
        const response = await directory.query(stationsQuery(uuids), context);
        const found = new Map(usableStations(response.rows, true).map((station) => [station.uuid, station]));
        const results = uuids.flatMap((uuid) => found.get(uuid) ?? []);
        const missing = uuids.filter((uuid) => !found.has(uuid)).map((uuid) => given.get(uuid) ?? uuid);
        return { results, missing, ...provenance(response, context) };
      },

      async listTopVotedStations({ limit = 20, includeBroken }, context) {
        const response = await directory.query(topVotedQuery(limit, includeBroken), context);
        const results = usableStations(response.rows.slice(0, limit), includeBroken).sort((one, other) => other.votes - one.votes);
        return { count: results.length, results, ...provenance(response, context) };
      },

      async listCountries(_request, context) {
        const response = await directory.query(COUNTRIES_QUERY, context);
        return { count: response.rows.length, results: [...response.rows], ...provenance(response, context) };
      },

      async listTags({ limit = 50, offset = 0 }, context) {
        const response = await directory.query(tagsQuery({ limit, offset }), context);
        const listed = page(response.rows, limit, offset);
        return { count: listed.results.length, ...listed, ...provenance(response, context) };
      },

      async listLanguages({ limit = 50, offset = 0 }, context) {
        const response = await directory.query(languagesQuery({ limit, offset }), context);
        return { ...page(response.rows, limit, offset), ...provenance(response, context) };
      },

      async listStates({ limit = 50, offset = 0, countrycode }, context) {
        const code = requestedCode(countrycode);
        const response = await directory.query(statesQuery({ limit, offset }, code), context);
        return { ...page(response.rows, limit, offset), ...provenance(response, context) };
      },

      async listCodecs(_request, context) {
        const response = await directory.query(CODECS_QUERY, context);
        return { results: merged(response.rows), ...provenance(response, context) };
      },

      async reportPlay(request, context) {
        const uuid = request.uuid.toLowerCase();
        const play = await directory.reportPlay(uuid, context);
        if (play === undefined) {
          throw unknownStation(uuid);
        }
        const { resolved, broken } = play;
        const urls = surelyLasts(resolved) ? { url: resolved, urlResolved: resolved } : await urlsOf(uuid, resolved, context);
        return { uuid, broken, ...urls };
      },
    },
    isReady: () => directory.isReady(),
    begin: () => directory.begin(),
    close: () => directory.close(),
  };
}

const unknownStation = (uuid: string): Failure =>
  new Failure({ reason: "NOT_FOUND", message: `The radio directory has no station with the UUID ${uuid}.` });

// One page of a list. One more row was requested from the directory, which shows whether there is another page.
function page<Row extends Tag | Language | State>(rows: readonly Row[], limit: number, offset: number) {
  const results = merged(rows.slice(0, limit));
  return { ...following(rows.length > limit, offset, limit), results };
}
