import { describe, expect, test } from "vitest";
import { countryFilter } from "../../../../src/services/radio/country/country-filter.ts";
import { DIRECTORY_NAMES } from "../../../../src/services/radio/country/directory-names.ts";

const requested = (text: string, countrycode?: string): unknown => {
  const { parameters, codes } = countryFilter(text, countrycode);
  return [parameters, codes && [...codes].join(" ")];
};

const capitals = (text: string): string => text.toLowerCase().replace(/(?<=^|\s)\S/g, (letter) => letter.toUpperCase());

describe("a country is found", () => {
  test("by its code and by the directory's name for it, in any case", () => {
    const wrong = [...DIRECTORY_NAMES].flatMap(([code, name]) =>
      [code, code.toLowerCase(), name, name.toLowerCase(), name.toUpperCase(), capitals(name)]
        .filter((text) => JSON.stringify(requested(text)) !== JSON.stringify([{ countrycode: code }, code]))
        .map((text) => [text, requested(text)]),
    );
    expect([wrong, DIRECTORY_NAMES.size]).toEqual([[], 250]);
  });

  test("by its name in the Unicode locale data, in any case", () => {
    const names = new Intl.DisplayNames("en", { type: "region" });
    const found = [...DIRECTORY_NAMES.keys()].map((code) => [code, requested((names.of(code) ?? "").toUpperCase())]);
    expect(found).toEqual([...DIRECTORY_NAMES.keys()].map((code) => [code, [{ countrycode: code }, code]]));
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
  ])("by what people write: %s is %s", (text, code) => {
    expect(requested(text)).toEqual([{ countrycode: code }, code]);
  });
});

test.each<[string, string, string]>([
  ["KOREA", "Korea", "KP KR"],
  ["congo", "Congo", "CD CG"],
  ["virgin", "Virgin", "VG VI"],
  ["un_ted", "Un_ted", "AE GB TZ UM US"],
  ["united%states", "United%States", "UM US"],
])("a part that several countries share is searched for in the names' own case: %s", (text, pattern, codes) => {
  expect(requested(text)).toEqual([{ country: pattern }, codes]);
});

test("letters whose case differs between names match any character", () => {
  expect(countryFilter("the", undefined).parameters).toEqual({ country: "_he" });
});

test.each(["HJ", "atlantis", "\\", "!!!"])("a string that matches no country is passed on to the directory: %s", (text) => {
  expect(requested(text)).toEqual([{ country: text }, undefined]);
});

test.each<[string, string, unknown]>([
  ["germany", "DE", [{ countrycode: "DE" }, "DE"]],
  ["ireland", "GB", [{ country: "Ireland", countryExact: "true" }, "IE"]],
  ["korea", "KR", [{ country: "Korea" }, "KP KR"]],
])("%s with the code %s", (text, code, expected) => {
  expect(requested(text, code)).toEqual(expected);
});
