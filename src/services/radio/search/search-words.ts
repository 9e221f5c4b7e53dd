// Searches stations for a query in words: asks the directory a few times, and puts the stations that people mean first.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { SearchStationsResponseSchema, Station } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { nextTurn } from "../../../runtime/event-loop-turn.ts";
import { following } from "../../next-offset.ts";
import type { Directory, DirectoryResponse } from "../directory.ts";
import { mostPlayedQuery, type Search } from "../directory-query.ts";
import { provenance } from "../provenance.ts";
import { distinctStreams, usableStations } from "../station.ts";
import { type Match, matcherOf, wordsMeant } from "./matches.ts";
import { FILLERS, firstRound, isCorrected, mistypedRun, type Run, runsOf, secondRound, type Wanted } from "./plan.ts";
import type { VocabularyKeeper } from "./vocabulary.ts";
import type { Words } from "./words.ts";

// Takes about 0.2 ms, and a few times as much if every station has the maximum number of tags.
const STATIONS_PER_TURN = 16;
const REQUESTS_MAX = 6;
/** If fewer stations have all words, and none of them in its name, a word may be mistyped. */
const MATCHES_FEW = 3;

interface WordSearchOptions {
  readonly directory: Directory;
  readonly vocabulary: VocabularyKeeper;
  readonly search: Search;
  readonly words: Words;
  readonly context: HandlerContext;
}

/** Throws what the directory throws, if none of the requests had a response. */
export async function searchWords(options: WordSearchOptions): Promise<MessageInitShape<typeof SearchStationsResponseSchema>> {
  const { directory, search, context } = options;
  const { filters, limit, offset } = search;
  const vocabulary = await options.vocabulary.get(context.timeoutMs());
  const runs = runsOf(options.words, vocabulary);
  const found = new Map<string, Station>();
  const responses: DirectoryResponse<unknown>[] = [];
  const asked = new Set<string>();
  let failure: unknown;

  const ask = async (wanted: Wanted): Promise<void> => {
    const parameters = parametersOf(search, wanted);
    const query = mostPlayedQuery(parameters ?? {});
    if (parameters === undefined || asked.has(query.path) || asked.size === REQUESTS_MAX) {
      return;
    }
    asked.add(query.path);
    const response = await directory.query(query, context).catch((thrown: unknown) => {
      failure = thrown;
    });
    if (response !== undefined) {
      responses.push(response);
      for (const station of usableStations(response.rows, filters.includeBroken === true).filter(search.matches)) {
        found.set(station.uuid, station);
      }
    }
  };

  await Promise.all(firstRound(runs).map(ask));
  const mistyped = mistypedRun(runs, vocabulary);
  let matches = await matchAll(runs, isDoubtful(mistyped) ? mistyped : undefined, found);
  // A directory that has just failed is not asked for more.
  if (failure === undefined && !isEnough(matches, mistyped)) {
    await Promise.all(secondRound(runs, mistyped).map(ask));
    matches = await matchAll(runs, mistyped, found);
  }
  if (responses.length === 0 && failure !== undefined) {
    throw failure;
  }
  const { stations, ignored } = best(matches, runs);
  const results = stations.slice(offset, offset + limit);
  return {
    ...{ count: results.length, ...following(stations.length > offset + limit, offset, limit), limit, offset, filters, results },
    ...(ignored === undefined || failure !== undefined ? {} : { ignoredWords: ignored.words.join(" ") }),
    ...(vocabulary.isComplete ? {} : { namesAndTagsOnly: true }),
    ...provenance(oldestOf(responses), context),
  };
}

/** The parameters with the caller's own filters, which are never replaced; undefined if nothing is left to ask for. */
function parametersOf({ parameters, filters }: Search, wanted: Wanted): Readonly<Record<string, string>> | undefined {
  const isFree = (name: string): boolean =>
    name.startsWith("bitrate") ? filters.bitrateMin === undefined && filters.bitrateMax === undefined : !(name in parameters);
  const own = Object.fromEntries(Object.entries(wanted).filter(([name]) => name === "tagList" || isFree(name)));
  // All members of a list must match.
  const tagList = [parameters.tagList ?? [], own.tagList ?? []].flat().join(",");
  return Object.keys(own).length === 0 ? undefined : { ...parameters, ...own, ...(tagList === "" ? {} : { tagList }) };
}

// A word that may be mistyped also counts as one of the words that most listeners of the stations found know.
async function matchAll(
  runs: readonly Run[],
  mistyped: Run | undefined,
  found: ReadonlyMap<string, Station>,
): Promise<readonly Match[]> {
  const stations = [...found.values()];
  const matches = await inTurns(stations, matcherOf(runs));
  const alternatives = mistyped === undefined ? [] : wordsMeant(matches, mistyped);
  const others = runs.map((run) => (run === mistyped ? { ...run, alternatives, forms: [...alternatives, ...run.forms] } : run));
  return alternatives.length === 0 ? matches : inTurns(stations, matcherOf(others));
}

async function inTurns(stations: readonly Station[], match: (station: Station) => Match): Promise<readonly Match[]> {
  const matches: Match[] = [];
  for (let at = 0; at < stations.length; at += STATIONS_PER_TURN) {
    await nextTurn();
    matches.push(...stations.slice(at, at + STATIONS_PER_TURN).map(match));
  }
  return matches;
}

const isDoubtful = (run: Run | undefined): boolean => run !== undefined && (!run.isKnown || isCorrected(run));

function isEnough(matches: readonly Match[], mistyped: Run | undefined): boolean {
  const whole = matches.filter(({ missing }) => missing.length === 0);
  return whole.some(({ isNamed }) => isNamed) || (whole.length >= MATCHES_FEW && !isDoubtful(mistyped));
}

/** The stations that have all words, the best first, each stream once. If there are none, those that have all but one. */
function best(
  matches: readonly Match[],
  runs: readonly Run[],
): { readonly stations: readonly Station[]; readonly ignored: Run | undefined } {
  const whole = matches.filter(({ missing }) => missing.length === 0);
  if (whole.length > 0 || runs.length === 1) {
    return { stations: inOrder(whole), ignored: undefined };
  }
  const nearly = inScoreOrder(matches.filter(({ missing }) => missing.length === 1));
  const filler = runs.find(({ words }) => FILLERS.has(words.join(" ")));
  const nowhere = runs.find((run) => matches.every(({ missing }) => missing.includes(run)));
  const without = [filler, nowhere, nearly[0]?.missing[0]].find((run) => nearly.some(({ missing }) => missing[0] === run));
  return { stations: inOrder(nearly.filter(({ missing }) => missing[0] === without)), ignored: without };
}

// Stations with the same score are in the order of their UUIDs, so that pages do not overlap.
const inScoreOrder = (matches: readonly Match[]): readonly Match[] =>
  matches.toSorted((one, other) => other.score - one.score || (one.station.uuid < other.station.uuid ? -1 : 1));

const inOrder = (matches: readonly Match[]): readonly Station[] =>
  distinctStreams(inScoreOrder(matches).map(({ station }) => station));

// Returns the oldest of several responses, so that no data is older than the response says.
function oldestOf(
  responses: readonly DirectoryResponse<unknown>[],
): Pick<DirectoryResponse<unknown>, "receivedAtMs" | "ageSeconds"> {
  const ages = responses.flatMap(({ ageSeconds }) => ageSeconds ?? []);
  return {
    receivedAtMs: Math.min(...responses.map(({ receivedAtMs }) => receivedAtMs)),
    ageSeconds: ages.length === 0 ? undefined : Math.max(...ages),
  };
}
