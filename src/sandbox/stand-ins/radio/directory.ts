// The sandbox's radio directory: the paths, parameters, responses and quirks of the real one that the radio service depends on. What
// strings match is in `collation.ts`.
import { seeded } from "../seeded.ts";
import type { StandInResponse } from "../stand-in-server.ts";
import { containing, equalTo, folded, having } from "./collation.ts";
import type { RawStation } from "./stations.ts";

/** The real default limit, which is not the documented one. */
const LIMIT_DEFAULT = 999_999;

const FORMATS = ["xml", "csv", "m3u", "pls", "xspf", "ttl"];

/** A response from the directory: always text. */
type TextResponse = StandInResponse & { readonly body: string };

/** What responds to each request to a directory of these stations. */
export function directoryHandler(stations: readonly RawStation[]): (url: URL) => TextResponse {
  const directory = new Directory(stations);
  return ({ pathname, searchParams }) => {
    const [format = "", ...path] = pathname
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
    if (FORMATS.includes(format)) {
      return plain(406, "");
    }
    const [command, argument, further] =
      path[0] === "stations" ? [`stations/${path[1] ?? ""}`, path[2]] : [path[0] ?? "", path[1], path[2]];
    const rowsOf = format === "json" && Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
    if (rowsOf === undefined) {
      return plain(404, "");
    }
    try {
      const rows = rowsOf(directory, new Parameters(searchParams), argument, further);
      if (rows === undefined) {
        return plain(404, "");
      }
      return { status: 200, headers: { "access-control-allow-origin": "*" }, body: JSON.stringify(rows) };
    } catch (error) {
      // The real directory responds with 500, not 400, if it cannot read a parameter.
      return plain(500, error instanceof Error ? error.message : String(error));
    }
  };
}

const plain = (status: number, body: string): TextResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "access-control-allow-origin": "*" },
  body,
});

/** Query parameters by the directory's rules, which are lenient in some places and strict in others. */
class Parameters {
  readonly #query: URLSearchParams;

  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  /** A parameter's text; undefined if it is not given. If it is given twice, the first counts. */
  text(name: string): string | undefined {
    return this.#query.get(name) ?? undefined;
  }

  /** A parameter as a number. Anything but an unsigned 32-bit number silently means the fallback. */
  count(name: string, fallback: number): number {
    return countOf(this.text(name) ?? "", fallback);
  }

  /** A parameter as a number with decimals; undefined if it is not given. Throws an Error if it is none. */
  decimal(name: string): number | undefined {
    const text = this.text(name);
    const number = Number(text);
    if (text !== undefined && (text.trim() === "" || !Number.isFinite(number))) {
      throw new Error(`could not parse ${name}`);
    }
    return text === undefined ? undefined : number;
  }

  /** A parameter as a flag. Anything but `true` silently means false. */
  flag(name: string): boolean {
    return this.text(name) === "true";
  }

  /** A parameter as a flag; undefined if it is not given. Throws an Error if it is neither `true` nor `false`. */
  optionalFlag(name: string): boolean | undefined {
    const text = this.text(name);
    if (text !== undefined && text !== "true" && text !== "false") {
      throw new Error(`could not parse ${name}`);
    }
    return text === undefined ? undefined : text === "true";
  }
}

const countOf = (text: string, fallback: number): number =>
  /^\+?\d{1,10}$/.test(text) && Number(text) <= 0xffff_ffff ? Number(text) : fallback;

/** A station with the two strings that are compared without case and accents. */
interface Entry {
  readonly station: RawStation;
  readonly name: string;
  readonly state: string;
}

type Test = (entry: Entry) => boolean;

interface Page {
  /** An unknown order means `name`. */
  readonly order: string;
  readonly reverse: boolean;
  readonly offset: number;
  readonly limit: number;
}

const pageOf = (parameters: Parameters): Page => ({
  order: parameters.text("order") ?? "name",
  reverse: parameters.flag("reverse"),
  offset: parameters.count("offset", 0),
  limit: parameters.count("limit", LIMIT_DEFAULT),
});

// The fields by which stations can be ordered. `changetimestamp` is the time of the last change.
const SORT_FIELDS = [
  ..."url homepage favicon tags country language votes codec bitrate lastcheckok clickcount clicktrend".split(" "),
  ..."lastchecktime clicktimestamp".split(" "),
] as readonly (keyof RawStation)[];
const SORT_KEYS: ReadonlyMap<string, (entry: Entry) => string | number> = new Map([
  ["name", ({ name }) => name],
  ["state", ({ state }) => state],
  ["changetimestamp", ({ station }) => station.lastchangetime],
  ...SORT_FIELDS.map((field) => [field, ({ station }: Entry) => station[field] as string | number] as const),
]);

class Directory {
  readonly #entries: readonly Entry[];
  readonly #orders = new Map<string, readonly Entry[]>();
  readonly #random: () => number;
  readonly #clicked = new Set<string>();

  constructor(stations: readonly RawStation[]) {
    this.#entries = stations.map((station) => ({ station, name: folded(station.name), state: folded(station.state) }));
    this.#random = seeded(stations.length);
  }

  get length(): number {
    return this.#entries.length;
  }

  /** How many plays have been counted. */
  get clickCount(): number {
    return this.#clicked.size;
  }

  /** One page of the stations that pass the test. */
  search(passes: Test, { order, reverse, offset, limit }: Page): readonly RawStation[] {
    const inOrder = order === "random" ? this.#shuffled() : this.#ordered(order);
    const found = Iterator.from(reverse ? inOrder.toReversed() : inOrder).filter(passes);
    return [...found.drop(offset).take(limit)].map(({ station }) => station);
  }

  /** The stations with one of these UUIDs, in the data's own order. */
  byUuids(uuids: readonly string[]): readonly RawStation[] {
    const wanted = new Set(uuids.map((uuid) => uuid.toLowerCase()));
    return this.#entries.filter(({ station }) => wanted.has(station.stationuuid)).map(({ station }) => station);
  }

  /** Counts a play, once per address and day; here there is only one address and one day. Undefined if there is no such station. */
  click(uuid: string): RawStation | undefined {
    const [station] = uuid === uuid.toLowerCase() ? this.byUuids([uuid]) : [];
    if (station !== undefined) {
      this.#clicked.add(uuid);
    }
    return station;
  }

  /** The stations to count for a list. */
  listed(parameters: Parameters): readonly RawStation[] {
    return this.#entries.filter(workingIfRequested(parameters)).map(({ station }) => station);
  }

  #ordered(order: string): readonly Entry[] {
    const key = SORT_KEYS.get(order);
    if (key === undefined) {
      return this.#ordered("name");
    }
    const known = this.#orders.get(order) ?? sortedBy(this.#entries, key);
    this.#orders.set(order, known);
    return known;
  }

  #shuffled(): readonly Entry[] {
    const places = new Map(this.#entries.map((entry) => [entry, this.#random()]));
    return sortedBy(this.#entries, (entry) => places.get(entry) ?? 0);
  }
}

const sortedBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string | number): readonly Item[] =>
  [...items].sort((one, other) => {
    const [left, right] = [keyOf(one), keyOf(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  });

/** Matches all stations or, with `hidebroken`, those whose stream was found working. */
const workingIfRequested = (parameters: Parameters): Test =>
  parameters.flag("hidebroken") ? ({ station }) => station.lastcheckok === 1 : () => true;

/** The test for a search's parameters. Throws an Error for parameters that the directory cannot read. */
function filterOf(parameters: Parameters): Test {
  const bitrateMin = parameters.count("bitrateMin", 0);
  const bitrateMax = parameters.count("bitrateMax", 1_000_000);
  const placed = parameters.optionalFlag("has_geo_info");
  const extended = parameters.optionalFlag("has_extended_info");
  const https = parameters.optionalFlag("is_https");
  const tests: Test[] = [
    workingIfRequested(parameters),
    ...textTest(parameters, "name", ({ name }) => name, equalTo, folded),
    ...textTest(parameters, "country", ({ station }) => station.country, equalTo),
    ...textTest(parameters, "state", ({ state }) => state, equalTo, folded),
    ...textTest(parameters, "language", ({ station }) => station.language, having),
    ...textTest(parameters, "tag", ({ station }) => station.tags, having),
    ...tagListTests(parameters),
    ...wholeTest(parameters.text("countrycode")?.toUpperCase(), ({ station }) => station.countrycode.toUpperCase()),
    ...wholeTest(parameters.text("codec")?.toLowerCase(), ({ station }) => station.codec.toLowerCase()),
    ({ station: { bitrate } }) => bitrate >= bitrateMin && bitrate <= bitrateMax,
    ...flagTest(placed, ({ station }) => station.geo_lat !== null && station.geo_long !== null),
    ...flagTest(extended, ({ station }) => station.has_extended_info),
    // A station without a resolved URL is found by neither.
    ...flagTest(https, ({ station }) => /^(https?):/.exec(station.url_resolved)?.[1]?.endsWith("s")),
  ];
  return (entry) => tests.every((test) => test(entry));
}

type Trait = (entry: Entry) => string;

// A blank string is a filter too: every string contains it, and a blank one equals it.
function textTest(
  parameters: Parameters,
  name: string,
  traitOf: Trait,
  exactly: (wanted: string) => (text: string) => boolean,
  form = (text: string): string => text,
): Test[] {
  const wanted = parameters.text(name);
  if (wanted === undefined) {
    return [];
  }
  const matches = (parameters.flag(`${name}Exact`) ? exactly : containing)(form(wanted));
  return [(entry) => matches(traitOf(entry))];
}

const tagListTests = (parameters: Parameters): Test[] =>
  (parameters.text("tagList") ?? "")
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")
    .map(parameters.flag("tagExact") ? having : containing)
    .map(
      (matches) =>
        ({ station }) =>
          matches(station.tags),
    );

function wholeTest(wanted: string | undefined, traitOf: Trait): Test[] {
  const matches = equalTo(wanted ?? "");
  return wanted === undefined ? [] : [(entry) => matches(traitOf(entry))];
}

const flagTest = (wanted: boolean | undefined, traitOf: (entry: Entry) => boolean | undefined): Test[] =>
  wanted === undefined ? [] : [(entry) => traitOf(entry) === wanted];

const EARTH_RADIUS_M = 6_370_986;

/** How far stations are from the position that the parameters give, in metres; undefined if they give none. */
function distanceFrom(parameters: Parameters): ((station: RawStation) => number | null) | undefined {
  const [lat, long] = [parameters.decimal("geo_lat"), parameters.decimal("geo_long")];
  if (lat === undefined || long === undefined) {
    return undefined;
  }
  const vector = (latitude: number, longitude: number): readonly [number, number, number] => {
    const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
  };
  const [x, y, z] = vector(lat, long);
  return ({ geo_lat, geo_long }) => {
    if (geo_lat === null || geo_long === null) {
      return null;
    }
    const [ownX, ownY, ownZ] = vector(geo_lat, geo_long);
    return EARTH_RADIUS_M * 2 * Math.asin(Math.min(1, Math.hypot(x - ownX, y - ownY, z - ownZ) / 2));
  };
}

type Command = (directory: Directory, parameters: Parameters, argument: string | undefined, further: string | undefined) => unknown;

const COMMANDS: Readonly<Record<string, Command>> = {
  "stations/": (directory, parameters) => directory.search(workingIfRequested(parameters), pageOf(parameters)),

  "stations/search"(directory, parameters) {
    const passes = filterOf(parameters);
    const distanceOf = distanceFrom(parameters);
    if (distanceOf === undefined) {
      return directory.search(passes, pageOf(parameters));
    }
    const distanceMax = parameters.decimal("geo_distance") ?? Number.POSITIVE_INFINITY;
    const near: Test = (entry) => passes(entry) && (distanceOf(entry.station) ?? Number.POSITIVE_INFINITY) <= distanceMax;
    const found = directory.search(near, pageOf(parameters));
    return found.map((station) => ({ ...station, geo_distance: distanceOf(station) }));
  },

  "stations/byuuid": (directory, parameters, argument) =>
    directory.byUuids((argument ?? parameters.text("uuids") ?? "").split(",").map((uuid) => uuid.trim())),

  "stations/topvote"(directory, parameters, argument) {
    const limit = argument === undefined ? parameters.count("limit", LIMIT_DEFAULT) : countOf(argument, 0);
    const page = { order: "votes", reverse: true, offset: parameters.count("offset", 0), limit };
    return directory.search(workingIfRequested(parameters), page);
  },

  countries(directory, parameters, argument = "") {
    const stations = directory.listed(parameters).filter(({ countrycode }) => countrycode.includes(argument.toUpperCase()));
    // In the case in which its stations have it. In the order of the codes, also when ordered by name.
    const countries = counted(stations, ({ countrycode }) => [countrycode]).map(({ name: iso_3166_1, stationcount }) => ({
      name: stations.find(({ countrycode }) => countrycode === iso_3166_1)?.country ?? "",
      iso_3166_1,
      stationcount,
    }));
    return pageOfList(countries, parameters);
  },

  tags: (directory, parameters, argument = "") =>
    pageOfList(
      members(directory.listed(parameters), ({ tags }) => tags, argument),
      parameters,
    ),

  languages(directory, parameters, argument = "") {
    const languages = members(directory.listed(parameters), ({ language }) => language, argument);
    return pageOfList(
      languages.map((row) => ({ ...row, iso_639: LANGUAGE_CODES.get(row.name) ?? null })),
      parameters,
    );
  },

  states(directory, parameters, argument, further) {
    const [country, part] = further === undefined ? [undefined, argument] : [argument, further];
    const matches = containing(folded(part ?? ""));
    // States whose names differ only in case or accents count as one.
    const states = Map.groupBy(
      directory.listed(parameters).filter(({ state }) => state !== ""),
      ({ state, country: of }) => `${folded(state)}\n${of}`,
    );
    const rows = [...states.values()]
      .map((same) => ({ name: same[0]?.state ?? "", country: same[0]?.country ?? "", stationcount: same.length }))
      .filter((row) => (country === undefined || row.country === country) && matches(folded(row.name)));
    return pageOfList(
      sortedBy(rows, ({ name }) => folded(name)),
      parameters,
    );
  },

  codecs(directory, parameters, argument = "") {
    const matches = containing(argument.toUpperCase());
    const codecs = counted(directory.listed(parameters), ({ codec }) => [codec]);
    return pageOfList(
      codecs.filter(({ name }) => matches(name.toUpperCase())),
      parameters,
    );
  },

  url(directory, _, argument = "") {
    const station = directory.click(argument);
    return (
      station && {
        ok: station.lastcheckok === 1,
        message: "retrieved station url",
        stationuuid: station.stationuuid,
        name: station.name,
        url: station.url_resolved,
      }
    );
  },

  stats: ({ length, clickCount }) => ({
    supported_version: 1,
    software_version: "0.7.33",
    status: "OK",
    stations: length,
    clicks_last_day: clickCount,
  }),
};

/** A name with a number of stations. */
interface Counted {
  readonly name: string;
  readonly stationcount: number;
}

// A name that a station has twice counts twice.
function counted(stations: readonly RawStation[], namesOf: (station: RawStation) => readonly string[]): readonly Counted[] {
  const names = Map.groupBy(
    stations.flatMap(namesOf).filter((name) => name !== ""),
    (name) => name,
  );
  return sortedBy(
    [...names].map(([name, same]) => ({ name, stationcount: same.length })),
    ({ name }) => name,
  );
}

/** The directory's own lists of tags and languages leave out longer ones, which are sentences. */
const MEMBER_BYTES_MAX = 109;

function members(stations: readonly RawStation[], listOf: (station: RawStation) => string, part: string): readonly Counted[] {
  const matches = containing(part);
  const all = counted(stations, (station) =>
    listOf(station)
      .split(",")
      .map((member) => member.trim().toLowerCase()),
  );
  return all.filter(({ name }) => Buffer.byteLength(name) <= MEMBER_BYTES_MAX && matches(name));
}

// The directory only has codes for languages with an English name in ISO 639.
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const english = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
const LANGUAGE_CODES: ReadonlyMap<string, string> = new Map(
  LETTERS.flatMap((first) => LETTERS.map((second) => [(english.of(first + second) ?? "").toLowerCase(), first + second] as const)),
);

function pageOfList<Row extends Counted>(rows: readonly Row[], parameters: Parameters): readonly Row[] {
  const { order, reverse, offset, limit } = pageOf(parameters);
  if (order !== "name" && order !== "stationcount") {
    throw new Error(`unknown order ${order}`);
  }
  const ascending = order === "name" ? [...rows] : [...sortedBy(rows, ({ stationcount }) => stationcount)];
  return (reverse ? ascending.reverse() : ascending).slice(offset, offset + limit);
}
