// How well a station matches a query, and how many people listen to it. Pure.
import type { Station } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { isOneEditAway } from "../../../runtime/one-edit.ts";
import { isCorrected, type Run } from "./plan.ts";
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
const ALTERNATIVES_MAX = 3;
/** The last letter of a longer word may differ too: `antena` and `antenne`. */
const STEM_LETTERS_MIN = 6;
/** A shorter query without its spaces is also a part of other words. */
const SQUEEZED_LETTERS_MIN = 6;

/** How well stations match the runs of one query. */
export function matcherOf(runs: readonly Run[]): (station: Station) => Match {
  const compiled = runs.map((run) => {
    const phrase = compared(run.words.join(" "));
    const forms = run.forms.filter((form) => form !== phrase);
    return { run, phrase, words: phrase.split(" "), forms, parts: [phrase, ...forms].flatMap(partPattern) };
  });
  const rest = runs.filter(({ place }) => place === undefined);
  const alternatives = runs.flatMap(({ alternatives: words = [] }) => words);
  const phrasesOf = (some: readonly Run[]): readonly string[] => {
    const readings = [
      some.flatMap(({ words }) => words),
      some.flatMap(({ meant }) => meant),
      ...alternatives.map((word) => some.flatMap((run) => (run.alternatives === undefined ? run.meant : [word]))),
    ];
    return [...new Set(readings.map((words) => compared(words.join(" "))))].filter((phrase) => phrase !== "");
  };
  const wholePhrases = phrasesOf(runs);
  const squeezedPhrases = wholePhrases.map((phrase) => phrase.replaceAll(" ", ""));
  const restPhrases = rest.length < runs.length ? phrasesOf(rest) : [];

  return (station) => {
    const { name, squeezed, all } = textsOf(station);
    const isSqueezed = squeezedPhrases.some(
      (phrase) => squeezed === phrase || (phrase.length >= SQUEEZED_LETTERS_MIN && squeezed.startsWith(phrase)),
    );
    let [isPart, isOther, isPlaced] = [false, false, true];
    const missing: Run[] = [];
    for (const { run, phrase, words, forms, parts } of compiled) {
      const isThere = run.place !== undefined && isIn(station, run);
      isPlaced &&= isThere || run.place === undefined;
      if (hasWords(all, phrase) || words.every((word) => hasWords(all, word))) {
        continue;
      }
      if (isThere || forms.some((form) => hasWords(all, form))) {
        isOther ||= run.alternatives !== undefined || isCorrected(run);
      } else if (parts.some((part) => part.test(all))) {
        isPart = true;
      } else {
        missing.push(run);
      }
    }
    if (isSqueezed) {
      [isPart, missing.length] = [false, 0];
    }
    const inName = Math.max(
      ...wholePhrases.map((phrase) => pointsOf(name, squeezed, phrase)),
      ...(isPlaced ? restPhrases.map((phrase) => pointsOf(name, squeezed, phrase) + POINTS.placeElsewhere) : []),
      isSqueezed ? POINTS.startOfName : 0,
    );
    const isTag = isPlaced && rest.length > 0 && rest.every(({ wholeTags }) => wholeTags.some((tag) => station.tags.includes(tag)));
    const points = isPart
      ? POINTS.parts
      : Math.max(inName, isTag ? POINTS.wholeTag : POINTS.wordsAnywhere) + (isOther ? POINTS.corrected : 0);
    // Plays of the last day count more than votes, which add up over years.
    const listeners = Math.log2(1 + station.clickcount) + Math.log2(1 + station.votes) / 3;
    return {
      station,
      score: points + listeners,
      missing,
      isNamed: !isPart && !isOther && missing.length === 0 && inName >= POINTS.wordsOfName,
    };
  };
}

/** What is compared of a station, with a space before and after. */
interface Texts {
  readonly name: string;
  readonly squeezed: string;
  readonly state: string;
  readonly language: string;
  /** All of it but the country, which is compared by its code: the United Kingdom's name contains `Ireland`. */
  readonly all: string;
}

// Several requests and queries find the same station.
const knownTexts = new WeakMap<Station, Texts>();

function textsOf(station: Station): Texts {
  const known = knownTexts.get(station);
  if (known !== undefined) {
    return known;
  }
  const bareName = compared(station.name.replace(BRACKETED, " ")) || compared(station.name);
  const [state, language] = [compared(station.state ?? ""), compared(station.language ?? "")];
  const texts = {
    name: ` ${bareName} `,
    squeezed: bareName.replaceAll(" ", ""),
    state: ` ${state} `,
    language: ` ${language} `,
    all: ` ${compared(`${station.name} ${station.tags.join(" ")}`)} ${state} ${language} `,
  };
  knownTexts.set(station, texts);
  return texts;
}

/** The words of these stations, most listeners first, that differ from the mistyped word by one mistake. */
export function wordsMeant(matches: readonly Match[], mistyped: Run): readonly string[] {
  const typed = compared(mistyped.words[0] ?? "");
  const listeners = new Map<string, number>();
  for (const { station, missing } of matches) {
    if (missing.every((run) => run === mistyped)) {
      for (const word of new Set(
        textsOf(station)
          .all.split(" ")
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
  const words = [...listeners].sort(([, one], [, other]) => other - one).map(([word]) => word);
  return words.slice(0, ALTERNATIVES_MAX);
}

function pointsOf(name: string, squeezed: string, phrase: string): number {
  if (squeezed === phrase.replaceAll(" ", "")) {
    return POINTS.wholeName;
  }
  if (hasWords(name, phrase)) {
    return name.startsWith(` ${phrase}`) ? POINTS.startOfName : POINTS.wordsOfName;
  }
  return phrase.split(" ").every((word) => hasWords(name, word)) ? POINTS.wordsOfNameAnywhere : 0;
}

// Whether the text contains the phrase as whole words.
const hasWords = (text: string, phrase: string): boolean =>
  text.includes(phrase) && (text.includes(` ${phrase} `) || UNSPACED.test(phrase));

function isIn(station: Station, { place, forms }: Run): boolean {
  switch (place?.field) {
    case "countrycode":
      return place.values.includes(station.countrycode ?? "");
    case "bitrate":
      return place.values.includes(String(station.bitrate));
    case "codec":
      return place.values.includes(station.codec);
    default: {
      const text = textsOf(station)[place?.field ?? "state"];
      return forms.some((form) => hasWords(text, form));
    }
  }
}

// Where the words are parts of others, or have single spaces in them: `wdr2` occurs in `WDR 2`, but `kpop` not in `rock pop`.
function partPattern(form: string): RegExp[] {
  const letters = [...form.replaceAll(" ", "")];
  const inWord = letters.length === form.length ? [form] : [];
  return letters.length > 1 ? [new RegExp([...inWord, ` ${letters.join(" ?")}`].join("|"), "u")] : [];
}
