// Finds the country that a caller means: by its code, or by any common English name, in any case.
import codes from "i18n-iso-countries/codes.json" with { type: "json" };
import english from "i18n-iso-countries/langs/en.json" with { type: "json" };
import { DIRECTORY_NAMES } from "./directory-names.ts";

/** Common names that none of the lists contains. */
const FURTHER_NAMES: readonly (readonly [name: string, code: string])[] = [
  ["Aland", "AX"],
  ["America", "US"],
  ["Britain", "GB"],
  ["Burma", "MM"],
  ["DR Congo", "CD"],
  ["DRC", "CD"],
  ["East Timor", "TL"],
  ["FYROM", "MK"],
  ["Holland", "NL"],
  ["Macau", "MO"],
  ["Macedonia", "MK"],
  ["People's Republic of China", "CN"],
  ["PRC", "CN"],
  ["Republic of Ireland", "IE"],
  ["Slovak Republic", "SK"],
  ["Swaziland", "SZ"],
  ["UAE", "AE"],
  ["Vatican", "VA"],
  ["Viet Nam", "VN"],
];

/** The names of all countries, in the form of `plainName`. */
interface Names {
  /** Only names of exactly one country. */
  readonly codeOf: ReadonlyMap<string, string>;
  /** Every name of every country. */
  readonly all: readonly (readonly [name: string, code: string])[];
}

/** Alpha-2 code, alpha-3 code or the directory's name, each in upper case → the alpha-2 code. */
const CODE_OF_EXACT_NAME: ReadonlyMap<string, string> = new Map([
  ...[...DIRECTORY_NAMES].map(([code, name]) => [name.toUpperCase(), code] as const),
  ...codes.flatMap(([alpha2 = "", alpha3 = ""]) =>
    DIRECTORY_NAMES.has(alpha2) ? [alpha2, alpha3].map((code) => [code, alpha2] as const) : [],
  ),
]);

let known: Names | undefined;

/** The alpha-2 code of the country with this name or code, in any case; undefined if there is none, or several. */
export const codeOfCountry = (text: string): string | undefined =>
  CODE_OF_EXACT_NAME.get(text.toUpperCase()) ?? names().codeOf.get(plainName(text));

/** Whether this is the whole English name of any country, in any case. */
export function isEnglishName(text: string): boolean {
  const wanted = plainName(text);
  return names().all.some(([name]) => name === wanted);
}

/** The codes of the countries with a name that contains this substring, in any case. */
export function codesOfPart(part: string): readonly string[] {
  const wanted = plainName(part);
  return [...new Set(names().all.flatMap(([name, code]) => (name.includes(wanted) ? [code] : [])))];
}

// Created on first use, since most processes never need it.
function names(): Names {
  known ??= readNames();
  return known;
}

function readNames(): Names {
  const listed = Object.entries(english.countries).flatMap(([code, given]) => [given].flat().map((name) => [name, code] as const));
  const ofCldr = (["long", "short"] as const).flatMap((style) => {
    const display = new Intl.DisplayNames("en", { type: "region", style });
    return [...DIRECTORY_NAMES.keys()].map((code) => [display.of(code) ?? code, code] as const);
  });
  const ofDirectory = [...DIRECTORY_NAMES].map(([code, name]) => [name, code] as const);
  const all = [...listed, ...ofCldr, ...ofDirectory, ...FURTHER_NAMES]
    .filter(([, code]) => DIRECTORY_NAMES.has(code))
    .map(([name, code]) => [plainName(name), code] as const);
  return { codeOf: new Map(uniqueEntries(all)), all };
}

// "Congo" is a name of two countries, so it identifies neither.
function uniqueEntries(all: readonly (readonly [name: string, code: string])[]): (readonly [name: string, code: string])[] {
  const codesOf = new Map<string, Set<string>>();
  for (const [name, code] of all) {
    codesOf.set(name, (codesOf.get(name) ?? new Set()).add(code));
  }
  return [...codesOf].flatMap(([name, [code, another]]) =>
    code === undefined || another !== undefined ? [] : [[name, code] as const],
  );
}

/** A name in lower case, without accents, punctuation and a leading "the", and with `st` as `saint`. */
export function plainName(name: string): string {
  return name
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/[.'’]/g, "")
    .replace(/&/g, " and ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(/^the (?=.)/, "")
    .replace(/\bst\b/g, "saint");
}
