// Which stations a search of the radio directory lets through. Pure.
import { containing, folded } from "./collation.ts";
import type { StationSketch } from "./invented-stations.ts";
import type { Parameters } from "./parameters.ts";

/** What of a station filters look at. Texts are folded. */
export interface Traits {
  readonly name: string;
  readonly country: string;
  readonly countrycode: string;
  readonly state: string;
  readonly language: string;
  readonly tags: string;
  readonly codec: string;
  readonly bitrate: number;
  readonly placed: boolean;
  readonly extended: boolean;
  /** Whether the resolved stream URL is https; undefined where there is none. */
  readonly https: boolean | undefined;
  readonly working: boolean;
}

/** What filters need of a station. */
export function traitsOf(station: StationSketch): Traits {
  const { url_resolved: resolved } = station;
  return {
    name: folded(station.name),
    country: folded(station.country),
    countrycode: folded(station.countrycode),
    state: folded(station.state),
    language: folded(station.language),
    tags: folded(station.tags),
    codec: folded(station.codec),
    bitrate: station.bitrate,
    placed: station.geo_lat !== null && station.geo_long !== null,
    extended: station.has_extended_info,
    https: resolved.startsWith("https://") ? true : resolved.startsWith("http://") ? false : undefined,
    working: station.lastcheckok === 1,
  };
}

type Test = (traits: Traits) => boolean;

/** The filter that a search's parameters make. Throws an Error on those that the directory cannot read. */
export function filterOf(parameters: Parameters): Test {
  const bitrateMin = parameters.count("bitrateMin", 0);
  const bitrateMax = parameters.count("bitrateMax", 1_000_000);
  const placed = parameters.optionalFlag("has_geo_info");
  const extended = parameters.optionalFlag("has_extended_info");
  const https = parameters.optionalFlag("is_https");
  const tests: Test[] = [
    workingIfAsked(parameters),
    ...textTest(parameters, "name", "nameExact", equal),
    ...textTest(parameters, "country", "countryExact", equal),
    ...textTest(parameters, "state", "stateExact", equal),
    ...textTest(parameters, "language", "languageExact", member),
    ...textTest(parameters, "tag", "tagExact", member),
    ...tagListTests(parameters),
    ...wholeTest(parameters, "countrycode"),
    ...wholeTest(parameters, "codec"),
    ({ bitrate }) => bitrate >= bitrateMin && bitrate <= bitrateMax,
    ...(placed === undefined ? [] : [(traits: Traits) => traits.placed === placed]),
    ...(extended === undefined ? [] : [(traits: Traits) => traits.extended === extended]),
    ...(https === undefined ? [] : [(traits: Traits) => traits.https === https]),
  ];
  return (traits) => tests.every((test) => test(traits));
}

/** Lets all stations through, or, with `hidebroken`, those whose stream was found working. */
export function workingIfAsked(parameters: Parameters): Test {
  return parameters.flag("hidebroken") ? ({ working }) => working : () => true;
}

const equal = (wanted: string) => (text: string) => text === wanted;

const member = (wanted: string) => (list: string) => list.split(",").some((part) => part.trim() === wanted);

type TextName = "name" | "country" | "state" | "language" | "tag";

function textTest(
  parameters: Parameters,
  name: TextName,
  exactName: string,
  exactly: (wanted: string) => (text: string) => boolean,
): Test[] {
  const wanted = parameters.text(name) ?? "";
  if (wanted === "") {
    return [];
  }
  const matches = parameters.flag(exactName) ? exactly(folded(wanted)) : containing(wanted);
  const trait = name === "tag" ? "tags" : name;
  return [(traits) => matches(traits[trait])];
}

function tagListTests(parameters: Parameters): Test[] {
  const wanted = (parameters.text("tagList") ?? "").split(",").map((tag) => tag.trim());
  const mode = parameters.flag("tagExact") ? (tag: string) => member(folded(tag)) : containing;
  return wanted
    .filter((tag) => tag !== "")
    .map(mode)
    .map(
      (matches) =>
        ({ tags }) =>
          matches(tags),
    );
}

function wholeTest(parameters: Parameters, name: "countrycode" | "codec"): Test[] {
  const wanted = folded(parameters.text(name) ?? "");
  return wanted === "" ? [] : [(traits) => traits[name] === wanted];
}
