// Which stations match a search of the radio directory. Pure.
import { containing, equalTo, folded, having } from "./collation.ts";
import type { StationSketch } from "./invented-stations.ts";
import type { Parameters } from "./parameters.ts";

/** What filters look at. The name and the state are folded: these are the only fields in which the directory ignores case. */
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
  /** Whether the resolved stream URL is https; undefined if there is none. */
  readonly https: boolean | undefined;
  readonly working: boolean;
}

/** What filters need from a station. */
export function traitsOf(station: StationSketch): Traits {
  const { url_resolved: resolved } = station;
  return {
    name: folded(station.name),
    country: station.country,
    countrycode: station.countrycode.toUpperCase(),
    state: folded(station.state),
    language: station.language,
    tags: station.tags,
    codec: station.codec.toLowerCase(),
    bitrate: station.bitrate,
    placed: station.geo_lat !== null && station.geo_long !== null,
    extended: station.has_extended_info,
    https: resolved.startsWith("https://") ? true : resolved.startsWith("http://") ? false : undefined,
    working: station.lastcheckok === 1,
  };
}

type Test = (traits: Traits) => boolean;

/** The filter for a search's parameters. Throws an Error for parameters that the directory cannot read. */
export function filterOf(parameters: Parameters): Test {
  const bitrateMin = parameters.count("bitrateMin", 0);
  const bitrateMax = parameters.count("bitrateMax", 1_000_000);
  const placed = parameters.optionalFlag("has_geo_info");
  const extended = parameters.optionalFlag("has_extended_info");
  const https = parameters.optionalFlag("is_https");
  const tests: Test[] = [
    workingIfRequested(parameters),
    ...textTest(parameters, "name", folded, equalTo),
    ...textTest(parameters, "country", unchanged, equalTo),
    ...textTest(parameters, "state", folded, equalTo),
    ...textTest(parameters, "language", unchanged, having),
    ...textTest(parameters, "tag", unchanged, having),
    ...tagListTests(parameters),
    ...wholeTest(parameters, "countrycode", (text) => text.toUpperCase()),
    ...wholeTest(parameters, "codec", (text) => text.toLowerCase()),
    ({ bitrate }) => bitrate >= bitrateMin && bitrate <= bitrateMax,
    ...(placed === undefined ? [] : [(traits: Traits) => traits.placed === placed]),
    ...(extended === undefined ? [] : [(traits: Traits) => traits.extended === extended]),
    ...(https === undefined ? [] : [(traits: Traits) => traits.https === https]),
  ];
  return (traits) => tests.every((test) => test(traits));
}

/** Matches all stations or, with `hidebroken`, those whose stream was found working. */
export function workingIfRequested(parameters: Parameters): Test {
  return parameters.flag("hidebroken") ? ({ working }) => working : () => true;
}

const unchanged = (text: string): string => text;

type TextName = "name" | "country" | "state" | "language" | "tag";
type Matching = (wanted: string) => (text: string) => boolean;

// A blank string is a filter too: every string contains it, and a blank one equals it.
function textTest(parameters: Parameters, name: TextName, form: (text: string) => string, exactly: Matching): Test[] {
  const wanted = parameters.text(name);
  if (wanted === undefined) {
    return [];
  }
  const matches = (parameters.flag(`${name}Exact`) ? exactly : containing)(form(wanted));
  const trait = name === "tag" ? "tags" : name;
  return [(traits) => matches(traits[trait])];
}

function tagListTests(parameters: Parameters): Test[] {
  const wanted = (parameters.text("tagList") ?? "").split(",").map((tag) => tag.trim());
  return wanted
    .filter((tag) => tag !== "")
    .map(parameters.flag("tagExact") ? having : containing)
    .map(
      (matches) =>
        ({ tags }) =>
          matches(tags),
    );
}

function wholeTest(parameters: Parameters, name: "countrycode" | "codec", form: (text: string) => string): Test[] {
  const wanted = parameters.text(name);
  if (wanted === undefined) {
    return [];
  }
  const matches = equalTo(form(wanted));
  return [(traits) => matches(traits[name])];
}
