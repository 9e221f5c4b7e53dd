// Words as they are compared: in lower case, without accents, and with the letters that people write in several ways made one. Pure.

/** A query, or a part of one, as words in lower case. */
export type Words = readonly string[];

/** Further words are ignored. */
const WORDS_MAX = 8;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const APOSTROPHES = /['’‘`´]/g;

/** The words of a query: runs of letters and digits, each once. `80's` is one word, and `hip-hop` two. */
export const wordsOf = (query: string): Words =>
  [...new Set(query.normalize("NFC").replace(APOSTROPHES, "").toLowerCase().match(WORD))].slice(0, WORDS_MAX);

/** The words of a text as it is spelled, in lower case. */
export const spelledWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}'’]+/gu) ?? [];

const PLAIN = /^[\x20-\x7e]*$/;
// Letters that Unicode does not split into a letter and an accent.
const LETTERS: Readonly<Record<string, string>> = { ß: "ss", ø: "o", ł: "l", đ: "d", ı: "i", æ: "a", œ: "o" };

/** The text in lower case, without accents, its words separated by one space. `Köln`, `Koeln` and `koln` are the same. */
export function compared(text: string): string {
  const lower = text.toLowerCase();
  const bare = PLAIN.test(lower) ? lower : lower.normalize("NFKD").replace(/[\p{Mn}ßøłđıæœ]/gu, (letter) => LETTERS[letter] ?? "");
  return (bare.replace(APOSTROPHES, "").match(WORD) ?? []).join(" ").replace(/([aou])e/g, "$1");
}

const JOINING: ReadonlySet<string> = new Set(["and", "n"]);

/** Each line is one term: what it is called, in the form of `compared` without spaces. */
const SAME = new Map(
  [
    ["drumbass", "db", "dnb", "drumnbass"],
    ["rb", "rnb", "rhythmblus"],
    ["rockroll", "rocknroll"],
    ["bayern", "bavaria"],
    ["sachsen", "saxony"],
    ["niedersachsen", "lowersaxony"],
    ["nordrheinwestfalen", "northrhinewestphalia", "nrw"],
    ["hessen", "hesse"],
    ["rheinlandpfalz", "rhinelandpalatinate"],
    ["thuringen", "thuringia"],
    ["wien", "vienna"],
    ["munchen", "munich"],
    ["koln", "cologne"],
    ["москва", "moscow", "moskva"],
    ["praha", "prague"],
    ["warszawa", "warsaw"],
    ["roma", "rome"],
    ["milano", "milan"],
    ["lombardia", "lombardy"],
    ["toscana", "tuscany"],
    ["catalunya", "catalonia", "cataluna"],
    ["andalucia", "andalusia"],
    ["sevilla", "seville"],
    ["bretagne", "brittany"],
    ["normandie", "normandy"],
    ["lisboa", "lisbon"],
    ["bruxelles", "brussels", "brussel"],
    ["kobenhavn", "copenhagen"],
    ["athina", "athens", "αθηνα"],
    ["newsouthwales", "nsw"],
  ].flatMap(([term = "", ...others]) => others.map((other) => [other, term] as const)),
);

/** What all spellings of a term have in common: `hip hop`, `Hip-Hop` and `hiphop`; `drum & bass` and `dnb`; `Bayern` and `Bavaria`. */
export function termKey(text: string): string {
  const words = compared(text).split(" ");
  const joined = words.filter((word) => !JOINING.has(word)).join("") || words.join("");
  return SAME.get(joined) ?? joined;
}
