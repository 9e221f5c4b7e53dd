// Callers need not know the case of the directory's strings: every filter finds the same in any case.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RadioScene, startRadioScene } from "./radio-scene.ts";
import { rawStation } from "./raw-row.ts";

const stations = [
  { name: "Éclair", country: "Germany", countrycode: "DE", tags: "smooth jazz,été", language: "german", codec: "AAC+" },
  { name: "North", country: "The Democratic Peoples Republic Of Korea", countrycode: "KP", tags: "pop", language: "korean" },
  { name: "South", country: "The Republic Of Korea", countrycode: "KR", tags: "k-pop", language: "korean,english" },
  { name: "West", country: "The United States Of America", countrycode: "US", tags: "ac\\dc", language: "english" },
  {
    name: "London",
    country: "The United Kingdom Of Great Britain And Northern Ireland",
    countrycode: "GB",
    tags: "",
    language: "",
  },
  { name: "Dublin", country: "Ireland", countrycode: "IE", tags: "", language: "" },
].map((changes, index) => rawStation({ stationuuid: `5a000000-0000-4000-8000-00000000000${index}`, ...changes }));

let scene: RadioScene;

beforeAll(async () => {
  scene = await startRadioScene(stations);
});

afterAll(() => scene.close());

type Search = Parameters<RadioScene["client"]["searchStations"]>[0];

test.each<[Search, string]>([
  [{ name: "éclair" }, "Éclair"],
  [{ country: "germany" }, "Éclair"],
  [{ country: "germ" }, "Éclair"],
  [{ country: "korea" }, "North South"],
  [{ country: "south korea" }, "South"],
  [{ country: "republic of korea" }, "South"],
  [{ country: "usa" }, "West"],
  [{ country: "uk" }, "London"],
  [{ country: "ireland" }, "Dublin"],
  [{ country: "atlantis" }, ""],
  [{ country: "ireland", countrycode: "gb" }, ""],
  [{ country: "korea", countrycode: "kr" }, "South"],
  [{ countrycode: "kp" }, "North"],
  [{ tag: "smooth jazz" }, "Éclair"],
  [{ tag: "été" }, "Éclair"],
  [{ tag: "pop" }, "North South"],
  [{ tag: "c\\d" }, "West"],
  [{ language: "korean" }, "North South"],
  [{ language: "english" }, "South West"],
  [{ codec: "aac+" }, "Éclair"],
])("%j finds %j in every case", async (request, expected) => {
  const forms: ((text: string) => string)[] = [
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.charAt(0).toUpperCase() + text.slice(1),
  ];
  const found = await Promise.all(
    forms.map(async (form) => {
      const inForm = Object.fromEntries(Object.entries(request).map(([name, text]) => [name, form(String(text))]));
      const { results, nextOffset } = await scene.client.searchStations(inForm);
      return [results.map(({ name }) => name).join(" "), nextOffset !== undefined];
    }),
  );
  expect(found).toEqual(forms.map(() => [expected, false]));
});
