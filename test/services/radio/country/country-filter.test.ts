import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { countryFilter } from "../../../../src/services/radio/country/country-filter.ts";
import { DIRECTORY_NAMES } from "../../../../src/services/radio/country/directory-names.ts";

async function requested(text: string, countrycode?: string): Promise<unknown> {
  const { parameters, codes } = await countryFilter(text, countrycode);
  return [parameters, codes && [...codes].join(" ")];
}

const capitals = (text: string): string => text.toLowerCase().replace(/(?<=^|\s)\S/g, (letter) => letter.toUpperCase());

describe("a country is found", () => {
  test("by its code and by the directory's name for it, in any case", async () => {
    const texts = [...DIRECTORY_NAMES].flatMap(([code, name]) =>
      [code, code.toLowerCase(), name, name.toLowerCase(), name.toUpperCase(), capitals(name)].map((text) => [text, code] as const),
    );
    const found = await Promise.all(texts.map(async ([text]) => [text, await requested(text)]));
    expect(found).toEqual(texts.map(([text, code]) => [text, [{ countrycode: code }, code]]));
    expect(DIRECTORY_NAMES.size).toBe(250);
  });

  test("by its name in the Unicode locale data, in any case", async () => {
    const names = new Intl.DisplayNames("en", { type: "region" });
    const codes = [...DIRECTORY_NAMES.keys()];
    const found = await Promise.all(codes.map(async (code) => [code, await requested((names.of(code) ?? "").toUpperCase())]));
    expect(found).toEqual([...DIRECTORY_NAMES.keys()].map((code) => [code, [{ countrycode: code }, code]]));
  });

  test("and not another one, by its names in other lists and languages", async () => {
    const languages = ["de", "es", "fr", "it", "ja", "nl", "pl", "ru", "sv", "tr", "zh"];
    const wrong: string[] = [];
    let found = 0;
    for (const language of languages) {
      const { countries } = JSON.parse(
        readFileSync(new URL(import.meta.resolve(`i18n-iso-countries/langs/${language}.json`)), "utf8"),
      );
      for (const [code, given] of Object.entries<string | string[]>(countries)) {
        const name = [given].flat()[0] ?? "";
        const { codes } = await countryFilter(name, undefined);
        if (codes?.has(code) === true) {
          found += 1;
        } else if (codes !== undefined) {
          wrong.push(`${language} ${name}`);
        }
      }
    }
    // Of the two countries of this name, the list means the other one.
    expect(wrong).toEqual(["de Kongo"]);
    // Most names that are not found are official ones, such as "Koninkrijk Bahrein".
    expect(found / languages.length).toBeGreaterThan(200);
  });

  test.each([
    ["usa", "US"],
    ["U.S.A.", "US"],
    ["us", "US"],
    ["America", "US"],
    ["United States", "US"],
    ["the united states of america", "US"],
    ["UK", "GB"],
    ["uk", "GB"],
    ["United Kingdom", "GB"],
    ["great britain", "GB"],
    ["britain", "GB"],
    ["gbr", "GB"],
    ["germany", "DE"],
    ["DEU", "DE"],
    ["The Netherlands", "NL"],
    ["netherlands", "NL"],
    ["holland", "NL"],
    ["russia", "RU"],
    ["south korea", "KR"],
    ["NORTH KOREA", "KP"],
    ["czech republic", "CZ"],
    ["czechia", "CZ"],
    ["turkey", "TR"],
    ["turkiye", "TR"],
    ["ivory coast", "CI"],
    ["côte d'ivoire", "CI"],
    ["Cote d’Ivoire", "CI"],
    ["dr congo", "CD"],
    ["republic of the congo", "CG"],
    ["vatican", "VA"],
    ["holy see", "VA"],
    ["hong kong", "HK"],
    ["macau", "MO"],
    ["taiwan", "TW"],
    ["palestine", "PS"],
    ["syria", "SY"],
    ["laos", "LA"],
    ["iran", "IR"],
    ["viet nam", "VN"],
    ["burma", "MM"],
    ["swaziland", "SZ"],
    ["macedonia", "MK"],
    ["kosovo", "XK"],
    ["uae", "AE"],
    ["st. kitts & nevis", "KN"],
    ["trinidad and tobago", "TT"],
    ["curaçao", "CW"],
    ["reunion", "RE"],
    ["bosnia", "BA"],
    ["ireland", "IE"],
    ["republic of ireland", "IE"],
    // A whole name wins over a part of other names.
    ["niger", "NE"],
    ["guinea", "GN"],
    ["sudan", "SD"],
    ["samoa", "WS"],
    // A part that only one country has.
    ["germ", "DE"],
    ["GER%Y", "DE"],
    ["g_rman", "DE"],
    ["emirates", "AE"],
    ["burm", "MM"],
    // Its name in another language.
    ["Deutschland", "DE"],
    ["ÖSTERREICH", "AT"],
    ["osterreich", "AT"],
    ["schweiz", "CH"],
    ["Suisse", "CH"],
    ["svizzera", "CH"],
    ["españa", "ES"],
    ["espana", "ES"],
    ["brasil", "BR"],
    ["Polska", "PL"],
    ["россия", "RU"],
    ["Україна", "UA"],
    ["Ελλάδα", "GR"],
    ["日本", "JP"],
    ["대한민국", "KR"],
    ["مصر", "EG"],
    ["Türkiye", "TR"],
    ["allemagne", "DE"],
    ["Estados Unidos", "US"],
    ["Kina", "CN"],
    ["Fas", "MA"],
    ["Island", "IS"],
    ["香港", "HK"],
    ["Hongkong", "HK"],
  ])("by what people write: %s is %s", async (text, code) => {
    expect(await requested(text)).toEqual([{ countrycode: code }, code]);
  });
});

test.each<[string, string, string]>([
  ["KOREA", "Korea", "KP KR"],
  ["congo", "Congo", "CD CG"],
  ["virgin", "Virgin", "VG VI"],
  ["un_ted", "Un_ted", "AE GB TZ UM US"],
  ["united%states", "United%States", "UM US"],
])("a part that several countries share is searched for in the names' own case: %s", async (text, pattern, codes) => {
  expect(await requested(text)).toEqual([{ country: pattern }, codes]);
});

test("letters whose case differs between names match any character", async () => {
  expect((await countryFilter("the", undefined)).parameters).toEqual({ country: "_he" });
});

test.each(["HJ", "atlantis", "\\", "!!!", "deutsch"])(
  "a string that matches no country is passed on to the directory: %s",
  async (text) => {
    expect(await requested(text)).toEqual([{ country: text }, undefined]);
  },
);

test.each<[string, string, unknown]>([
  ["germany", "DE", [{ countrycode: "DE" }, "DE"]],
  ["ireland", "GB", [{ country: "Ireland", countryExact: "true" }, "IE"]],
  ["korea", "KR", [{ country: "Korea" }, "KP KR"]],
  ["irlande", "IE", [{ countrycode: "IE" }, "IE"]],
  ["irlande", "GB", [{ country: "Ireland", countryExact: "true" }, "IE"]],
])("%s with the code %s", async (text, code, expected) => {
  expect(await requested(text, code)).toEqual(expected);
});
