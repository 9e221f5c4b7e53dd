// The data services as their protos and the portal's table of services (portal/services.json) present them. A missing value, or a name or
// title that two services share, is an error that names it.
import { readFileSync } from "node:fs";
import { type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.js";
import type { HttpRule } from "../../gen/google/api/http_pb.js";
import { type DataService, data_service } from "../../gen/quintet/options/v1/options_pb.js";

export interface PresentedService {
  readonly desc: DescService;
  readonly presentation: DataService;
  readonly look: Look;
}

/** How pages show a service: a row of the portal's table, whose order is that of all lists of services. */
interface Look {
  /** Its colours on light and dark pages, such as `#1d5fb8`. */
  readonly colourLight: string;
  readonly colourDark: string;
  /** What a new customer calls first: the path and query of a GET that every plan allows. */
  readonly firstCall: string;
}

const TABLE = "portal/services.json";

// Services that are called with a session or without credentials.
const WITHOUT_KEY = /^quintet\.(account|operator)\./;

/** Whether a service is called with a key, as all are except those for accounts and operators. */
const isDataService = ({ typeName }: DescService): boolean => !WITHOUT_KEY.test(typeName);

const COLOUR = /^#[0-9a-f]{6}$/;

/** The data services among these services, in display order. Throws an error that names everything that is wrong. */
export function dataServicesOf(services: readonly DescService[]): readonly PresentedService[] {
  const looks = new Map(Object.entries(JSON.parse(readFileSync(TABLE, "utf8")) as Record<string, Look>));
  const names = [...looks.keys()];
  const found = services
    .filter(isDataService)
    .map((desc) => ({ desc, presentation: getOption(desc, data_service) }))
    .map((service) => ({ ...service, look: looks.get(service.presentation.name) ?? NO_LOOK }))
    .toSorted((a, b) => names.indexOf(a.presentation.name) - names.indexOf(b.presentation.name));
  const faults = found.flatMap((service, index) => [
    ...faultsOf(service).map((fault) => `${service.desc.typeName}: ${fault}`),
    ...found.slice(0, index).flatMap((earlier) => clashes(service, earlier)),
  ]);
  if (faults.length > 0) {
    throw new Error(
      `The protos and ${TABLE} do not present the data services as they should:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
  }
  return found;
}

const NO_LOOK: Look = { colourLight: "", colourDark: "", firstCall: "" };

function faultsOf({ desc, presentation, look }: PresentedService): readonly string[] {
  if (!hasOption(desc, data_service)) {
    return ["add the option (quintet.options.v1.data_service)"];
  }
  const { name, title, summary } = presentation;
  const { colourLight, colourDark, firstCall } = look;
  const folder = name.replaceAll("-", "");
  const rules = desc.methods.flatMap(rulesOf);
  const firstPath = firstCall.split("?", 1)[0];
  return [
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) ? "" : "name must be lower-case words joined by hyphens",
    desc.file.proto.package === `quintet.${folder}.v1` ? "" : `package must be quintet.${folder}.v1, as its name is ${name}`,
    ...rules
      .filter(({ path }) => !path.startsWith(`/${name}/`))
      .map(({ path }) => `the path ${path} must begin with /${name}/, as its name is ${name}`),
    title === "" ? "title must not be empty" : "",
    summary.endsWith(".") ? "" : "summary must be a sentence with its full stop",
    COLOUR.test(colourLight) ? "" : `colourLight in ${TABLE} must be a colour such as #1d5fb8`,
    COLOUR.test(colourDark) ? "" : `colourDark in ${TABLE} must be a colour such as #7db4ff`,
    rules.some(({ verb, path }) => verb === "get" && path === firstPath)
      ? ""
      : `firstCall in ${TABLE} must be the path of one of its GETs`,
  ].filter((fault) => fault !== "");
}

function rulesOf(method: DescService["methods"][number]): readonly { readonly verb: string | undefined; readonly path: string }[] {
  const rule = hasOption(method, http) ? [getOption(method, http)] : [];
  return rule
    .flatMap((each: HttpRule) => [each, ...each.additionalBindings])
    .map(({ pattern }) => ({
      verb: pattern.case,
      path: typeof pattern.value === "string" ? pattern.value : "",
    }));
}

const clashes = (one: PresentedService, other: PresentedService): readonly string[] =>
  (["name", "title"] as const)
    .filter((field) => one.presentation[field] === other.presentation[field])
    .map((field) => `${one.desc.typeName}: ${field} is that of ${other.desc.typeName} too`);
