// Searches the directory for a query in words, and puts the stations that people mean first.
import type { Station } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { nextTurn } from "../../../runtime/event-loop-turn.ts";
import { type NativeCountryNames, nativeCountryNames } from "../country/native-country-names.ts";
import type { Words } from "./query-words.ts";
import { type FieldTexts, firstRound, lastRound, type Round, secondRound } from "./search-rounds.ts";
import { isNamed, scoreOf } from "./station-score.ts";

/**
 * If a query finds fewer stations in single fields, and fewer than `NAMED_FEW` of them have its words in their names, its words are also
 * searched for in several fields.
 */
const MATCHES_FEW = 20;
const NAMED_FEW = 3;
/** A query that finds fewer stations may have a typing mistake. */
const MATCHES_MIN = 3;
// Takes about 0.2 ms, and a few times as much if every station has the maximum number of tags.
const STATIONS_PER_TURN = 16;

/** Makes one request to the directory. */
export type Ask = (texts: FieldTexts) => Promise<readonly Station[]>;

/** The stations that match, the best first. Throws what `ask` throws. */
export async function bestMatches(words: Words, ask: Ask): Promise<readonly Station[]> {
  const found = new Map<string, { readonly station: Station; readonly score: number }>();
  const search = async (round: Round): Promise<void> => {
    const add = (station: Station): void => {
      const score = scoreOf(station, round);
      if (score !== undefined && score > (found.get(station.uuid)?.score ?? Number.NEGATIVE_INFINITY)) {
        found.set(station.uuid, { station, score });
      }
    };
    const searchFor = async (texts: FieldTexts): Promise<void> => {
      const stations = await ask(texts);
      for (let at = 0; at < stations.length; at += STATIONS_PER_TURN) {
        await nextTurn();
        stations.slice(at, at + STATIONS_PER_TURN).forEach(add);
      }
    };
    await Promise.all(round.requests.map(searchFor));
  };
  const searchFurther = async (roundOf: (words: Words, countryNames: NativeCountryNames) => Round | undefined): Promise<void> => {
    // In a query of one word, that word is what to search for, not the name of a country.
    const round = roundOf(words, words.length > 1 ? await nativeCountryNames() : new Map());
    if (round !== undefined) {
      await search(round);
    }
  };
  const namedCount = (): number => [...found.values()].filter(({ station }) => isNamed(station, words)).length;
  await search(firstRound(words));
  if (found.size < MATCHES_FEW && namedCount() < NAMED_FEW) {
    await searchFurther(secondRound);
  }
  if (found.size < MATCHES_MIN) {
    await searchFurther(lastRound);
  }
  // Stations with the same score are in the order of their UUIDs, so that pages do not overlap.
  return [...found.values()]
    .sort((one, other) => other.score - one.score || (one.station.uuid < other.station.uuid ? -1 : 1))
    .map(({ station }) => station);
}
