// The tables of README.md and docs/. They are made from the program itself, so they always agree with it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandsTable } from "./commands.ts";
import { exitCodesTable } from "./exit-codes.ts";
import { metricsTable } from "./metrics.ts";
import { plansTables } from "./plans.ts";
import { reasonsTable, retriesTable } from "./reasons.ts";
import { operationsTable } from "./reference.ts";
import { servicePagesTable, servicesTable } from "./services.ts";
import { limitsTable, settingsTable } from "./settings.ts";

const ROOT = join(import.meta.dirname, "../..");

const TABLES: Readonly<Record<string, (about: string) => string>> = {
  operations: operationsTable,
  plans: plansTables,
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
