// Words that people, and stations, write in several ways: together, apart or with a hyphen, with `and` or `&`, or as a short form. Pure.
import type { Words } from "./query-words.ts";

/**
 * Terms that the directory's tags spell both as one word and as several, separated by commas. Only the common ones, because each further
 * spelling takes two more requests.
 */
const COMPOUNDS =
  "k pop,j pop,c pop,j rock,k rock,hip hop,trip hop,chill hop,lo fi,hi fi,sci fi,synth pop,synth wave,vapor wave,dark wave,cold wave," +
  "brit pop,electro pop,afro pop,city pop,dream pop,deutsch pop,pop rock,hard rock,soft rock,folk rock,punk rock,post rock,post punk," +
  "surf rock,deutsch rock,blues rock,kraut rock,hard core,hard style,metal core,nu metal,nu jazz,acid jazz,smooth jazz,nu disco," +
  "italo disco,euro disco,euro dance,euro beat,disco polo,disco fox,dance hall,tech house,deep house,hard techno,psy trance,dub step," +
  "break beat,electro swing,hands up,big room,down tempo,chill out,old school,old skool,avant garde,bossa nova,future funk,rare groove," +
  "love songs,talk show,non stop,non commercial,ad free,x mas,8 bit,ex yu,top 10,top 40,top 100";

/** Each line lists the spellings of one term, as patterns for the directory's search: `_` is any character, and `%` any characters. */
const SHORTENED: readonly (readonly string[])[] = [
  ["drum%bass", "dnb", "d&b", "drumnbass"],
  ["r&b", "rnb", "r_n_b", "rhythm%blues"],
  ["rock_n_roll", "rocknroll", "rock_&_roll"],
];

const FORMS: readonly (readonly string[])[] = [
  ...SHORTENED,
  ...COMPOUNDS.split(",").map((words) => [words.replaceAll(" ", "_"), words.replaceAll(" ", "")]),
];

const JOINING: ReadonlySet<string> = new Set(["and", "n"]);
const FORM_WORDS_MAX = 3;

/** What all spellings of a term have in common: its words without spaces, `and` and `n`. */
export const joinedForm = (words: Words): string => words.filter((word) => !JOINING.has(word)).join("") || words.join("");

const wordsOfForm = (form: string): Words => form.split(/[_%&]+/);

const FORMS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  FORMS.flatMap((forms) => forms.map((form) => [joinedForm(wordsOfForm(form)), forms] as const)),
);

/** Splits each pattern into its words: `k_pop hits` is `k`, `pop` and `hits`. */
export const plainWords = (words: Words): Words => words.flatMap(wordsOfForm);

/**
 * Finds the first term of a query that has several spellings, and returns the query once with each of its other spellings. A spelling
 * is one word, which is a pattern: `kpop hits` becomes `k_pop hits`.
 */
export function otherForms(words: Words): readonly Words[] {
  for (const at of words.keys()) {
    for (let length = Math.min(FORM_WORDS_MAX, words.length - at); length > 0; length -= 1) {
      const part = words.slice(at, at + length);
      const forms = JOINING.has(part[0] ?? "") || JOINING.has(part.at(-1) ?? "") ? undefined : FORMS_OF.get(joinedForm(part));
      if (forms !== undefined) {
        const others = forms.filter((form) => form !== part.join("_"));
        return others.map((form) => [...words.slice(0, at), form, ...words.slice(at + length)]);
      }
    }
  }
  return [];
}
