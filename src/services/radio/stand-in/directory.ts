// The sandbox's radio directory over HTTP. It has those paths, parameters, answers and oddities of the real directory that the radio
// service depends on.
import type { StandInAnswer } from "../../../upstream/stand-in/stand-in-server.ts";
import type { Catalogue, CountedName, Page } from "./catalogue.ts";
import { containing, folded } from "./collation.ts";
import { countOf, Parameters } from "./parameters.ts";
import { filterOf, workingIfAsked } from "./station-filter.ts";

/** The limit where none is given: not the one in the directory's documents. */
const LIMIT_DEFAULT = 999_999;

const FORMATS = ["xml", "csv", "m3u", "pls", "xspf", "ttl"];

/** An answer of the directory: always a text. */
type TextAnswer = StandInAnswer & { readonly body: string };

/** Answers one request to the directory. */
export function directoryHandler(catalogue: Catalogue): (url: URL) => TextAnswer {
  return ({ pathname, searchParams }) => {
    const [format = "", ...path] = pathname
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
    if (FORMATS.includes(format)) {
      return plain(406, "");
    }
    const [command, argument] = path[0] === "stations" ? [`stations/${path[1] ?? ""}`, path[2]] : [path[0] ?? "", path[1]];
    const answer = format === "json" && Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
    if (answer === undefined) {
      return plain(404, "");
    }
    try {
      const rows = answer(catalogue, new Parameters(searchParams), argument);
      return { status: 200, headers: { "access-control-allow-origin": "*" }, body: JSON.stringify(rows) };
    } catch (error) {
      // The real directory answers 500, not 400, when it cannot read a parameter.
      return plain(500, error instanceof Error ? error.message : String(error));
    }
  };
}

const plain = (status: number, body: string): TextAnswer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "access-control-allow-origin": "*" },
  body,
});

type Command = (catalogue: Catalogue, parameters: Parameters, argument: string | undefined) => unknown;

const COMMANDS: Readonly<Record<string, Command>> = {
  "stations/": (catalogue, parameters) => catalogue.search(workingIfAsked(parameters), pageOf(parameters)),

  "stations/search": (catalogue, parameters) => catalogue.search(filterOf(parameters), pageOf(parameters)),

  "stations/byuuid": (catalogue, parameters, argument) =>
    catalogue.byUuids((argument ?? parameters.text("uuids") ?? "").split(",").map((uuid) => uuid.trim())),

  "stations/topvote"(catalogue, parameters, argument) {
    const limit = argument === undefined ? parameters.count("limit", LIMIT_DEFAULT) : countOf(argument, 0);
    const page = { order: "votes", reverse: true, offset: parameters.count("offset", 0), limit };
    return catalogue.search(workingIfAsked(parameters), page);
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
      tags.filter(({ name }) => matches(folded(name))),
      parameters,
    );
  },

  stats: (catalogue) => ({ supported_version: 1, software_version: "0.7.33", status: "OK", stations: catalogue.length }),
};

function pageOf(parameters: Parameters): Page {
  return {
    order: parameters.text("order") ?? "name",
    reverse: parameters.flag("reverse"),
    offset: parameters.count("offset", 0),
    limit: parameters.count("limit", LIMIT_DEFAULT),
  };
}

// Countries by name are countries by code, in the real directory too: the rows come in that order.
function listed(rows: readonly CountedName[], parameters: Parameters): readonly CountedName[] {
  const { order, reverse, offset, limit } = pageOf(parameters);
  if (order !== "name" && order !== "stationcount") {
    throw new Error(`unknown order ${order}`);
  }
  const ascending = order === "name" ? [...rows] : [...rows].sort((one, other) => one.stationcount - other.stationcount);
  return (reverse ? ascending.reverse() : ascending).slice(offset, offset + limit);
}
