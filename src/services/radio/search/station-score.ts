// How well a station matches a query, and how many people listen to it. Pure.
import type { Station } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { isOneEditAway } from "../../../runtime/one-edit.ts";
import { joinedForm } from "./compounds.ts";
import { compared, MISTYPED_LETTERS_MIN, type Words } from "./query-words.ts";
import type { Closeness, Reading, Round } from "./search-rounds.ts";

/** The score of each kind of match. One more point counts as much as twice the listeners. */
const POINTS = { wholeName: 8, startOfName: 5, wordsOfName: 4, wholeTag: 3, wordsOfNameAnywhere: 3, wordsAnywhere: 2, parts: -8 };
// Bitrates and the like: `BBC Radio 4 (128k)`, `Radio Köln [MP3-128kbit]`.
const BRACKETED = /\([^)]*\)|\[[^\]]*\]/g;

/** Whether the station's name has the words next to each other, in this order. */
export function isNamed(station: Station, words: Words): boolean {
  return hasWords(compared(station.name), words.map(compared).join(" "));
}

// Scripts without spaces between words.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

// Whether the text contains the phrase as whole words.
const hasWords = (text: string, phrase: string): boolean =>
  UNSPACED.test(phrase) ? text.includes(phrase) : ` ${text} `.includes(` ${phrase} `);

/** The station's score; undefined if it does not have the words of any reading. */
export function scoreOf(station: Station, { readings, closeness }: Pick<Round, "readings" | "closeness">): number | undefined {
  const texts = textsOf(station);
  const points = readings.flatMap((reading) => {
    const fits = reading.countrycode === undefined || reading.countrycode === station.countrycode;
    return fits ? (pointsOf(texts, reading, closeness) ?? []) : [];
  });
  // Plays of the last day count more than votes, which add up over years.
  const listeners = Math.log2(1 + station.clickcount) + Math.log2(1 + station.votes) / 3;
  return points.length === 0 ? undefined : Math.max(...points) + listeners;
}

interface Texts {
  readonly name: string;
  /** The whole tags, without spaces, and their joined forms. */
  readonly tags: ReadonlySet<string>;
  readonly all: string;
}

function textsOf({ name, tags, state = "", country = "", language = "" }: Station): Texts {
  const bareName = compared(name.replace(BRACKETED, " ")) || compared(name);
  const members = tags.map(compared);
  return {
    name: bareName,
    tags: new Set(members.flatMap((tag) => [tag.replaceAll(" ", ""), joinedForm(tag.split(" "))])),
    all: [compared(name), ...members, compared(state), compared(country), compared(language)].join("  "),
  };
}

function pointsOf({ name, tags, all }: Texts, reading: Reading, closeness: Closeness): number | undefined {
  const words = reading.words.map(compared);
  const phrase = words.join(" ");
  const squeezed = phrase.replaceAll(" ", "");
  if (name.replaceAll(" ", "") === squeezed) {
    return POINTS.wholeName;
  }
  if (hasWords(name, phrase)) {
    return name.startsWith(phrase) ? POINTS.startOfName : POINTS.wordsOfName;
  }
  if (tags.has(squeezed) || tags.has(joinedForm(words))) {
    return POINTS.wholeTag;
  }
  const isWordOf = (text: string) => (word: string) => hasWords(text, word);
  if (words.every(isWordOf(name))) {
    return POINTS.wordsOfNameAnywhere;
  }
  if (words.every(isWordOf(all))) {
    return POINTS.wordsAnywhere;
  }
  const allWords = closeness === "one mistake" ? all.split(/ +/) : [];
  const occurs = (word: string): boolean =>
    (word.length > 1 ? all.includes(word) || isSpread(all, word) : isWordOf(all)(word)) ||
    (word.length >= MISTYPED_LETTERS_MIN && allWords.some((other) => isOneEditAway(word, other)));
  return words.every(occurs) ? POINTS.parts : undefined;
}

// Whether the word occurs with single spaces in it, at the start of a word: `wdr2` occurs in `WDR 2`, but `kpop` not in `rock pop`.
const isSpread = (text: string, word: string): boolean => new RegExp(`(?:^| )${[...word].join(" ?")}`, "u").test(text);
