// Names of countries in the languages in which most stations are listed: `Deutschland`, `España`, `Россия`.
import { DIRECTORY_NAMES } from "../country/directory-names.ts";

const LANGUAGES = [
  ...["de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "tr", "el", "cs", "sk", "hu", "ro", "bg", "hr", "sr", "sl"],
  ...["da", "sv", "nb", "fi", "et", "lv", "lt", "ar", "fa", "he", "hi", "id", "vi", "th", "zh", "ja", "ko"],
];

let codes: ReadonlyMap<string, string> | undefined;

/** The ISO 3166-1 alpha-2 code of a country's whole name in one of these languages, in lower case. Undefined if there is none. */
export function codeOfNativeName(name: string): string | undefined {
  codes ??= codesByName();
  return codes.get(name);
}

// Takes some 10 ms, once, and only if a query in several words needs it.
function codesByName(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of DIRECTORY_NAMES.keys()) {
      const name = names.of(code)?.normalize("NFC").toLowerCase();
      if (name !== undefined && !found.has(name)) {
        found.set(name, code);
      }
    }
  }
  return found;
}
