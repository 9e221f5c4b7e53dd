// How well a station matches a query, and how many people listen to it. Pure.
import type { Station } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { isOneEditAway } from "../../../runtime/one-edit.ts";
import type { Run } from "./plan.ts";
import { compared } from "./words.ts";

/** A station, and how well it matches. */
export interface Match {
  readonly station: Station;
  readonly score: number;
  /** The runs that the station does not have. */
  readonly missing: readonly Run[];
  readonly isNamed: boolean;
}

/** The score of each kind of match. One more point counts as much as twice the listeners. */
const POINTS = {
  wholeName: 8,
  startOfName: 5,
  wordsOfName: 4,
  wholeTag: 3,
  wordsOfNameAnywhere: 3,
  wordsAnywhere: 2,
  parts: -8,
  corrected: -3,
  placeElsewhere: -0.5,
};
// Bitrates and the like: `BBC Radio 4 (128k)`, `Radio Köln [MP3-128kbit]`.
const BRACKETED = /\([^)]*\)|\[[^\]]*\]/g;
// Scripts without spaces between words.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** The last letter of a longer word may differ too: `antena` and `antenne`. */
const STEM_LETTERS_MIN = 6;
/** A shorter query without its spaces is also a part of other words. */
const SQUEEZED_LETTERS_MIN = 6;

/** How well stations match the runs of one query. */
export function matcherOf(runs: readonly Run[]): (station: Station) => Match {
  const compiled = runs.map((run) => {
    const phrase = compared(run.words.join(" "));
    return { run, phrase, words: phrase.split(" "), forms: run.forms.filter((form) => form !== phrase) };
  });
  const rest = runs.filter(({ place }) => place === undefined);
  const phrasesOf = (some: readonly Run[]): readonly string[] =>
    [
      ...new Set(
        [some.flatMap(({ words }) => words), some.flatMap(({ meant }) => meant)].map((words) => compared(words.join(" "))),
      ),
    ].filter((phrase) => phrase !== "");
  const wholePhrases = phrasesOf(runs);
  const restPhrases = rest.length < runs.length ? phrasesOf(rest) : [];

  return (station) => {
    const name = compared(station.name.replace(BRACKETED, " ")) || compared(station.name);
    const all = textOf(station);
    const squeezed = name.replaceAll(" ", "");
    const isSqueezed = wholePhrases.some((phrase) => {
      const wanted = phrase.replaceAll(" ", "");
      return wanted.length >= SQUEEZED_LETTERS_MIN && squeezed.startsWith(wanted);
    });
    let [isPart, isCorrected, isPlaced] = [false, false, true];
    const missing: Run[] = [];
    for (const { run, phrase, words, forms } of compiled) {
      const isThere = run.place !== undefined && isIn(station, run);
      isPlaced &&= isThere || run.place === undefined;
      if (isThere || hasWords(all, phrase) || words.every((word) => hasWords(all, word))) {
        continue;
      }
      if (forms.some((form) => hasWords(all, form))) {
        isCorrected ||= run.words !== run.meant && run.words[0] !== run.meant[0];
      } else if (isPartOf(all, [phrase, ...forms])) {
        isPart = true;
      } else {
        missing.push(run);
      }
    }
    if (isSqueezed) {
      [isPart, missing.length] = [false, 0];
    }
    const inName = Math.max(
      ...wholePhrases.map((phrase) => pointsOf(name, phrase)),
      ...(isPlaced ? restPhrases.map((phrase) => pointsOf(name, phrase) + POINTS.placeElsewhere) : []),
      isSqueezed ? POINTS.startOfName : 0,
    );
    const isTag = isPlaced && rest.length > 0 && rest.every(({ wholeTags }) => wholeTags.some((tag) => station.tags.includes(tag)));
    const points = isPart
      ? POINTS.parts
      : Math.max(inName, isTag ? POINTS.wholeTag : POINTS.wordsAnywhere) + (isCorrected ? POINTS.corrected : 0);
    // Plays of the last day count more than votes, which add up over years.
    const listeners = Math.log2(1 + station.clickcount) + Math.log2(1 + station.votes) / 3;
    return {
      station,
      score: points + listeners,
      missing,
      isNamed: !isPart && !isCorrected && missing.length === 0 && inName >= POINTS.wordsOfName,
    };
  };
}

// Without the country, which is compared by its code: the United Kingdom's name contains `Ireland`.
const textOf = ({ name, tags, state = "", language = "" }: Station): string =>
  ` ${compared(`${name} ${tags.join(" ")} ${state} ${language}`)} `;

/** The word of these stations, most listeners first, that differs from the mistyped word by one mistake. */
export function wordMeant(matches: readonly Match[], mistyped: Run): string | undefined {
  const typed = compared(mistyped.words[0] ?? "");
  const listeners = new Map<string, number>();
  for (const { station, missing } of matches) {
    if (missing.every((run) => run === mistyped)) {
      for (const word of new Set(
        textOf(station)
          .split(" ")
          .filter(({ length }) => length > 3),
      )) {
        if (
          isOneEditAway(typed, word) ||
          (typed.length >= STEM_LETTERS_MIN && isOneEditAway(typed.slice(0, -1), word.slice(0, -1)))
        ) {
          listeners.set(word, (listeners.get(word) ?? 0) + 1 + station.clickcount);
        }
      }
    }
  }
  return [...listeners].sort(([, one], [, other]) => other - one)[0]?.[0];
}

function pointsOf(name: string, phrase: string): number {
  if (name === phrase || name.replaceAll(" ", "") === phrase.replaceAll(" ", "")) {
    return POINTS.wholeName;
  }
  if (hasWords(name, phrase)) {
    return name.startsWith(phrase) ? POINTS.startOfName : POINTS.wordsOfName;
  }
  return phrase.split(" ").every((word) => hasWords(name, word)) ? POINTS.wordsOfNameAnywhere : 0;
}

// Whether the text contains the phrase as whole words.
const hasWords = (text: string, phrase: string): boolean =>
  text.includes(phrase) && (UNSPACED.test(phrase) || ` ${text} `.includes(` ${phrase} `));

function isIn({ countrycode, bitrate, codec, language = "", state = "" }: Station, { place, forms }: Run): boolean {
  switch (place?.field) {
    case "countrycode":
      return place.values.includes(countrycode ?? "");
    case "bitrate":
      return place.values.includes(String(bitrate));
    case "codec":
      return place.values.includes(codec);
    default: {
      const text = compared(place?.field === "language" ? language : state);
      return forms.some((form) => hasWords(text, form));
    }
  }
}

// Whether one of the forms occurs in a word, or with single spaces in it: `wdr2` occurs in `WDR 2`, but `kpop` not in `rock pop`.
const isPartOf = (all: string, forms: readonly string[]): boolean =>
  forms.some((form) => {
    const letters = [...form.replaceAll(" ", "")];
    return (
      letters.length > 1 &&
      ((letters.length === form.length && all.includes(form)) || new RegExp(` ${letters.join(" ?")}`, "u").test(all))
    );
  });
