// The sandbox's radio directory over HTTP. It has the paths, parameters, responses and quirks of the real directory that the
// radio service depends on.
import type { StandInResponse } from "../stand-in-server.ts";
import type { Catalogue, CountedName, Page } from "./catalogue.ts";
import { containing, folded } from "./collation.ts";
import { countOf, Parameters } from "./parameters.ts";
import { filterOf, workingIfRequested } from "./station-filter.ts";

/** The real default limit, which is not the documented one. */
const LIMIT_DEFAULT = 999_999;

const FORMATS = ["xml", "csv", "m3u", "pls", "xspf", "ttl"];

/** A response from the directory: always text. */
type TextResponse = StandInResponse & { readonly body: string };

export function directoryHandler(catalogue: Catalogue): (url: URL) => TextResponse {
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
      const rows = rowsOf(catalogue, new Parameters(searchParams), argument, further);
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

type Command = (catalogue: Catalogue, parameters: Parameters, argument: string | undefined, further: string | undefined) => unknown;

const COMMANDS: Readonly<Record<string, Command>> = {
  "stations/": (catalogue, parameters) => catalogue.search(workingIfRequested(parameters), pageOf(parameters)),

  "stations/search": (catalogue, parameters) => catalogue.search(filterOf(parameters), pageOf(parameters)),

  "stations/byuuid": (catalogue, parameters, argument) =>
    catalogue.byUuids((argument ?? parameters.text("uuids") ?? "").split(",").map((uuid) => uuid.trim())),

  "stations/topvote"(catalogue, parameters, argument) {
    const limit = argument === undefined ? parameters.count("limit", LIMIT_DEFAULT) : countOf(argument, 0);
    const page = { order: "votes", reverse: true, offset: parameters.count("offset", 0), limit };
    return catalogue.search(workingIfRequested(parameters), page);
  },

  countries(catalogue, parameters, argument = "") {
    const countries = catalogue.countries(parameters.flag("hidebroken"));
    return listed(
      countries.filter(({ iso_3166_1 }) => iso_3166_1.includes(argument.toUpperCase())),
      parameters,
    );
  },

  tags(catalogue, parameters, argument = "") {
    const matches = containing(argument);
    const tags = catalogue.tags(parameters.flag("hidebroken"));
    return listed(
      tags.filter(({ name }) => matches(name)),
      parameters,
    );
  },

  languages(catalogue, parameters, argument = "") {
    const matches = containing(argument);
    const languages = catalogue.languages(parameters.flag("hidebroken"));
    return listed(
      languages.filter(({ name }) => matches(name)),
      parameters,
    );
  },

  states(catalogue, parameters, argument, further) {
    const [country, part] = further === undefined ? [undefined, argument] : [argument, further];
    const matches = containing(folded(part ?? ""));
    const states = catalogue.states(parameters.flag("hidebroken"));
    return listed(
      states.filter((state) => (country === undefined || state.country === country) && matches(folded(state.name))),
      parameters,
    );
  },

  codecs(catalogue, parameters, argument = "") {
    const matches = containing(argument.toUpperCase());
    const codecs = catalogue.codecs(parameters.flag("hidebroken"));
    return listed(
      codecs.filter(({ name }) => matches(name.toUpperCase())),
      parameters,
    );
  },

  url(catalogue, _, argument = "") {
    const station = catalogue.click(argument);
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

  stats: (catalogue) => ({
    supported_version: 1,
    software_version: "0.7.33",
    status: "OK",
    stations: catalogue.length,
    clicks_last_day: catalogue.clickCount(),
  }),
};

function pageOf(parameters: Parameters): Page {
  return {
    order: parameters.text("order") ?? "name",
    reverse: parameters.flag("reverse"),
    offset: parameters.count("offset", 0),
    limit: parameters.count("limit", LIMIT_DEFAULT),
  };
}

// As in the real directory, countries ordered by `name` are in fact in the order of their codes.
function listed<Row extends CountedName>(rows: readonly Row[], parameters: Parameters): readonly Row[] {
  const { order, reverse, offset, limit } = pageOf(parameters);
  if (order !== "name" && order !== "stationcount") {
    throw new Error(`unknown order ${order}`);
  }
  const ascending = order === "name" ? [...rows] : [...rows].sort((one, other) => one.stationcount - other.stationcount);
  return (reverse ? ascending.reverse() : ascending).slice(offset, offset + limit);
}
