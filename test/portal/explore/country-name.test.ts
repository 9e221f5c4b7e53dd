import { expect, test } from "vitest";
import { countryName } from "../../../portal/explore/stations/country-name.ts";

test.each([
  ["GB", "The United Kingdom Of Great Britain And Northern Ireland", "United Kingdom"],
  ["US", "The United States Of America", "United States"],
  ["XK", "Kosovo", "Kosovo"],
  ["QQ", "Atlantis", "Atlantis"],
  ["", "Atlantis", "Atlantis"],
  ["g", "Atlantis", "Atlantis"],
  [undefined, "Germany", "Germany"],
  [undefined, undefined, ""],
])("a country with the code %s that the directory calls %s is called %s", (code, official, name) => {
  expect(countryName(code, official)).toBe(name);
});
