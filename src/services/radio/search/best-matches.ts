// Searches the directory for a query in words, and puts the stations that people mean first.
import type { Station } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import type { Words } from "./query-words.ts";
import { type FieldTexts, firstRound, lastRound, type Round, secondRound } from "./search-rounds.ts";
import { isNamed, scoreOf } from "./station-score.ts";

/** A query that finds fewer stations in one field is also searched in several, unless some are named so. */
const MATCHES_FEW = 20;
const NAMED_FEW = 3;
/** A query that finds fewer stations may have a typing mistake. */
const MATCHES_MIN = 3;

/** Makes one request to the directory. */
export type Ask = (texts: FieldTexts) => Promise<readonly Station[]>;

/** The stations that match, the best first. Throws what `ask` throws. */
export async function bestMatches(words: Words, ask: Ask): Promise<readonly Station[]> {
  const found = new Map<string, { readonly station: Station; readonly score: number }>();
  const search = async (round: Round | undefined): Promise<void> => {
    const responses = await Promise.all((round?.requests ?? []).map(ask));
    for (const station of responses.flat()) {
      const score = round === undefined ? undefined : scoreOf(station, round);
      if (score !== undefined && score > (found.get(station.uuid)?.score ?? Number.NEGATIVE_INFINITY)) {
        found.set(station.uuid, { station, score });
      }
    }
  };
  if (words.length > 0) {
    await search(firstRound(words));
    const namedSo = [...found.values()].filter(({ station }) => isNamed(station, words));
    if (found.size < MATCHES_FEW && namedSo.length < NAMED_FEW) {
      await search(secondRound(words));
    }
    if (found.size < MATCHES_MIN) {
      await search(lastRound(words));
    }
  }
  // Stations with the same score are in the order of their UUIDs, so that pages do not overlap.
  return [...found.values()]
    .sort((one, other) => other.score - one.score || (one.station.uuid < other.station.uuid ? -1 : 1))
    .map(({ station }) => station);
}
