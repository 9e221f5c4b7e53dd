// The tables of README.md and docs/. They are made from the program itself, so they always agree with it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Argument, Command } from "commander";
import { folderNameOf, SERVICE_NAMES, SERVICES } from "../../src/catalogue/service-names.ts";
import { CommandContext } from "../../src/cli/context.ts";
import { addDoctorCommand } from "../../src/cli/doctor-command.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { createProgram } from "../../src/cli/program.ts";
import { addReferenceCommands } from "../../src/cli/reference-commands.ts";
import { addSandboxCommand } from "../../src/cli/sandbox-command.ts";
import { addServeCommand } from "../../src/cli/serve-command.ts";
import type { ServerEdge } from "../../src/cli/server-edge.ts";
import type { Family } from "../../src/operations/metrics/family.ts";
import { PROCESS_FAMILIES } from "../../src/operations/metrics/process-metrics.ts";
import { type MetricLayout, planLayout } from "../../src/operations/metrics/worker-metrics.ts";
import { CODE_NAMES } from "../../src/problem/code.ts";
import { REASONS, REASONS_BY_ORIGIN, type Reason } from "../../src/problem/reason.ts";
import { isPlanFault, type ReasonRule } from "../../src/problem/reason-rule.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { code, table } from "./markdown.ts";
import { operationsTable } from "./reference.ts";
import { limitsTable, settingsTable } from "./settings.ts";

/** The services, with what they return and where it comes from. `folder` is where their pages are, seen from the page with the table. */
const servicesTable = (folder: string): string =>
  table(
    ["service", "what it provides", "source"],
    SERVICE_NAMES.map((name) => {
      const { summary, source } = SERVICES[name];
      return [`[${name}](${folder}/${folderNameOf(name)}.md)`, summary, source || "computed here"];
    }),
  );

/** The pages of the services, as they are in the list of all pages. */
const servicePagesTable = (folder: string): string =>
  table(
    ["page", "what the service provides"],
    SERVICE_NAMES.map((name) => {
      const page = `${folder}/${folderNameOf(name)}.md`;
      return [`[${page}](${page})`, SERVICES[name].summary];
    }),
  );

// The tables of docs/errors.md: what each reason means, what a caller can do about it, and which calls are worth a retry.
const isOrigin = (name: string): name is keyof typeof REASONS_BY_ORIGIN => name in REASONS_BY_ORIGIN;

/** The reasons of one origin, with their statuses. */
export function reasonsTable(origin: string): string {
  if (!isOrigin(origin)) {
    throw new Error(`There is no origin ${origin} of reasons.`);
  }
  const rows = Object.keys(REASONS_BY_ORIGIN[origin]).map((name) => {
    const { code: rpcCode, httpStatus, charged, when, whatToDo } = REASONS[name as Reason];
    return [code(name), String(httpStatus), code(CODE_NAMES[rpcCode].toUpperCase()), charged ? "yes" : "no", when, whatToDo];
  });
  return table(["reason", "HTTP", "RPC code", "counted", "meaning", "what to do"], rows);
}

const namesWhere = (is: (rule: ReasonRule) => boolean): string =>
  Object.entries(REASONS)
    .filter(([, rule]) => is(rule))
    .map(([name]) => code(name))
    .join(", ");

// Whether it lasts until the month ends: the plan's quota, or the key's own.
const isQuota = ({ fault }: ReasonRule): boolean => fault === "quota" || fault === "key";

/** When a call that failed is worth a retry. */
export const retriesTable = (): string =>
  table(
    ["retry", "reasons"],
    [
      [
        "After the time that `Retry-After` says",
        namesWhere((rule) => rule.retry === true && !isPlanFault(rule.fault) && !isQuota(rule)),
      ],
      ["Next month: `Retry-After` says when it begins", namesWhere((rule) => rule.retry === true && isQuota(rule))],
      ["Once or twice, with growing pauses", namesWhere(({ retry, temporary }) => temporary === true && retry !== true)],
      ["Never: the same call fails the same way", "all others"],
    ],
  );

// The table of exit codes, made from those of the command line.
const exitCodesTable = (): string =>
  table(
    ["exit code", "when"],
    Object.values(EXIT_CODES).map(({ code, when }) => [String(code), when]),
  );

/** The whole command line. None of its commands is run. */
export function wholeProgram(): Command {
  const edge: ServerEdge = {
    variables: {},
    cores: 1,
    clock: systemClock,
    randomness: systemRandomness,
    operator: { user: "", host: "" },
    readSecret: () => Promise.resolve(""),
    out: () => {},
    err: () => {},
    untilStopped: () => Promise.resolve(),
    onUncaught: () => {},
    onReload: () => {},
  };
  const context = new CommandContext(edge);
  const program = createProgram(context);
  addServeCommand(program, edge);
  addSandboxCommand(program, edge);
  addDoctorCommand(program, edge);
  addReferenceCommands(program, edge);
  return program;
}

const shown = (argument: Argument): string => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`);

function rowsOf(command: Command, path: readonly string[]): readonly (readonly string[])[] {
  if (command.commands.length > 0) {
    // Leaves out hidden commands and the one that prints the help.
    const shown = command.createHelp().visibleCommands(command);
    return shown.filter((child) => child.name() !== "help").flatMap((child) => rowsOf(child, [...path, child.name()]));
  }
  const usage = [...path, ...command.registeredArguments.map(shown)].join(" ");
  const options = command.options.filter(({ long }) => long !== "--json").map(({ flags }) => code(flags));
  return [[code(usage), command.description(), options.join(", ")]];
}

/** Every command with its options, except `--json` and `--help`. */
function commandsTable(): string {
  return table(["command", "what it does", "options"], rowsOf(wholeProgram(), []));
}

const ROOT = join(import.meta.dirname, "../..");

const TABLES: Readonly<Record<string, (about: string) => string>> = {
  operations: operationsTable,
  services: servicesTable,
  servicePages: servicePagesTable,
  reasons: reasonsTable,
  retries: retriesTable,
  limits: limitsTable,
  settings: settingsTable,
  commands: commandsTable,
  exits: exitCodesTable,
  metrics: metricsTable,
};

/** The pages for readers, by their paths from the project's own directory. */
export function pages(): readonly string[] {
  const below = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));
  return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...below.map((path) => `docs/${path}`).toSorted()];
}

/** The page as it is now. */
export const readPage = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The page with up-to-date tables: each is between `<!-- table: NAME ABOUT -->` and `<!-- end -->`. */
export function withTables(page: string): string {
  return page.replaceAll(/<!-- table: (\w+) ?(\S*) -->\n(?:(?!<!--).)*<!-- end -->/gs, (_, name: string, about: string) => {
    const make = TABLES[name];
    if (make === undefined) {
      throw new Error(`there is no table ${name}`);
    }
    return `<!-- table: ${[name, about].join(" ").trim()} -->\n\n${make(about)}\n\n<!-- end -->`;
  });
}

/** Every metric, in the order in which it is exposed. */
function metricsTable(): string {
  const counted = Object.values<MetricLayout>(planLayout([]).at).map(({ family }): Family => family);
  const rows = [...counted, ...PROCESS_FAMILIES].map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(", "),
    help,
  ]);
  return table(["metric", "type", "labels", "meaning"], rows);
}
