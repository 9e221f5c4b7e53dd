// A thousand queries made from the sandbox's stations, all pairs of fields among them: what the directory is asked, and what is found.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Station } from "../../../../gen/quintet/radio/v1/radio_pb.js";
import { type RawStation, sandboxStations } from "../../../../src/sandbox/stand-ins/radio/stations.ts";
import { seeded } from "../../../../src/sandbox/stand-ins/seeded.ts";
import { DIRECTORY_NAMES } from "../../../../src/services/radio/country/directory-names.ts";
import { type RadioScene, startRadioScene } from "../radio-scene.ts";

const QUERIES = 1000;

const stations = sandboxStations("https://streams.example").filter(({ lastcheckok }) => lastcheckok === 1);

const names = new Intl.DisplayNames(["en"], { type: "region" });
const member = (list: string): string => list.split(",")[0] ?? "";

interface FieldCase {
  /** What people type for this field of the station; empty if its value is unknown. */
  readonly typed: (station: RawStation) => string;
  readonly isIn: (station: Station, typed: string) => boolean;
}

const has = (text: string | undefined, typed: string): boolean => bare(text ?? "").includes(bare(typed));
const bare = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();

const FIELDS: Readonly<Record<string, FieldCase>> = {
  name: { typed: ({ name }) => name.trim(), isIn: ({ name }, typed) => has(name, typed) },
  tag: { typed: ({ tags }) => member(tags), isIn: ({ name, tags }, typed) => has([name, ...tags].join(), typed) },
  language: { typed: ({ language }) => member(language), isIn: ({ language }, typed) => has(language, typed) },
  country: {
    typed: ({ countrycode }) => (DIRECTORY_NAMES.has(countrycode) ? (names.of(countrycode) ?? "") : ""),
    isIn: ({ countrycode = "" }, typed) => DIRECTORY_NAMES.has(countrycode) && names.of(countrycode) === typed,
  },
  region: {
    typed: ({ state }) => (/^(?:null|England|Scotland|Wales)$/.test(state) ? "" : state),
    isIn: ({ state }, typed) => has(state, typed),
  },
  bitrate: {
    typed: ({ bitrate }) => (bitrate > 0 && bitrate <= 320 ? `${bitrate}k` : ""),
    isIn: ({ bitrate }, typed) => `${bitrate}k` === typed,
  },
  codec: {
    typed: ({ codec }) => (codec === "AAC+" ? "aac" : codec === "UNKNOWN" ? "" : codec.toLowerCase()),
    isIn: ({ codec }, typed) => codec.toLowerCase().startsWith(typed),
  },
};

const pairs = Object.keys(FIELDS).flatMap((first) =>
  Object.keys(FIELDS).flatMap((second) => (first === second ? [] : [[first, second] as const])),
);

let scene: RadioScene;
const requests: URLSearchParams[] = [];

beforeAll(async () => {
  scene = await startRadioScene(stations, { mirrorCount: 1, onRequest: ({ searchParams }) => requests.push(searchParams) });
  await scene.client.searchStations({ query: "jazz" });
});

afterAll(() => scene.close());

test("each pair of fields takes at most six requests, and finds first what has both", async () => {
  const random = seeded(7);
  const asked = new Set<string>();
  const [notFirst, notFound]: [string[], string[]] = [[], []];
  const queries = new Set<string>();
  let [most, total] = [0, 0];
  while (queries.size < QUERIES) {
    const [first, second] = pairs[queries.size % pairs.length] ?? ["name", "tag"];
    const [one, other] = [FIELDS[first], FIELDS[second]] as [FieldCase, FieldCase];
    const station = stations[Math.floor(random() * stations.length)] as RawStation;
    const [left, right] = [one.typed(station), other.typed(station)];
    const query = `${left} ${right}`;
    if (left === "" || right === "" || has(left, right) || has(right, left) || queries.has(query)) {
      continue;
    }
    queries.add(query);
    requests.length = 0;
    const { results } = await scene.client.searchStations({ query });
    most = Math.max(most, requests.length);
    total += requests.length;
    for (const name of requests.flatMap((parameters) => [...parameters.keys()])) {
      asked.add(name);
    }
    const isBoth = (found: Station): boolean => one.isIn(found, left) && other.isIn(found, right);
    if (!results.slice(0, 1).some(isBoth)) {
      notFirst.push(`${first} and ${second}: ${query}: ${results[0]?.name}`);
    }
    if (!results.some(isBoth)) {
      notFound.push(`${first} and ${second}: ${query}`);
    }
  }
  expect([notFound, notFirst.length < QUERIES / 100 ? [] : notFirst]).toEqual([[], []]);
  // A word that few stations have takes more requests, and here each of them has few.
  expect([most, total < 4.5 * QUERIES]).toEqual([6, true]);
  expect(["name", "tagList", "language", "countrycode", "state", "codec"].filter((name) => !asked.has(name))).toEqual([]);
}, 120_000);
