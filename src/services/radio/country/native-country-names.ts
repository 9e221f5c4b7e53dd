// Names of countries in the languages in which most stations are listed: `Deutschland`, `España`, `Россия`.
import { nextTurn } from "../../../runtime/event-loop-turn.ts";
import { plainName } from "./country-names.ts";
import { DIRECTORY_NAMES } from "./directory-names.ts";

const LANGUAGES = [
  ...["de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "tr", "el", "cs", "sk", "hu", "ro", "bg", "hr", "sr", "sl"],
  ...["da", "sv", "nb", "fi", "et", "lv", "lt", "ar", "fa", "he", "hi", "id", "vi", "th", "zh", "zh-Hant", "ja", "ko", "ga"],
];

/** The whole name of a country in one of these languages, in the form of `plainName` → its ISO 3166-1 alpha-2 code. */
export type NativeCountryNames = ReadonlyMap<string, string>;

let names: Promise<NativeCountryNames> | undefined;

/** All of these names. The first call takes some 60 ms of CPU time; each turn of the event loop handles some 250 names. */
export function nativeCountryNames(): Promise<NativeCountryNames> {
  names ??= readNames();
  return names;
}

async function readNames(): Promise<NativeCountryNames> {
  const codes = new Map<string, string>();
  for (const language of LANGUAGES) {
    for (const style of ["long", "short"] as const) {
      await nextTurn();
      const inLanguage = new Intl.DisplayNames([language], { type: "region", style, fallback: "none" });
      for (const code of DIRECTORY_NAMES.keys()) {
        const name = plainName(inLanguage.of(code) ?? "");
        if (name !== "" && !codes.has(name)) {
          codes.set(name, code);
        }
      }
    }
  }
  return codes;
}
