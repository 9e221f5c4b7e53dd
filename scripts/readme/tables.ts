// The README's tables, made from what the program itself has: none can say anything else than the program does.
import { readFileSync } from "node:fs";
import { entitlementWords } from "../../src/catalogue/entitlements.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { CODE_NAMES } from "../../src/problem/code.ts";
import { REASONS } from "../../src/problem/reason.ts";
import { variableDocs } from "../../src/server-config.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").trim();

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

interface PathItem {
  readonly get?: { readonly operationId: string; readonly summary: string; readonly security?: unknown };
}

// Those that are called with a key: of the others, the operations say what they need.
function operations(): string {
  const { paths } = JSON.parse(readFileSync(new URL("../../gen/openapi.json", import.meta.url), "utf8"));
  const rows = Object.entries<PathItem>(paths).flatMap(([path, { get }]) => {
    if (get === undefined || get.security !== undefined) {
      return [];
    }
    const [service = "", method = ""] = get.operationId.split("_");
    const scope = service.replace(/Service$/, "").toLowerCase();
    return [[code(path), code(`quintet.${scope}.v1.${service}/${method}`), `${get.summary}.`]];
  });
  return table(["REST", "RPC", "what it does"], rows);
}

const price = ({ priceMinor, currency }: Plan): string => `${(priceMinor / 100).toFixed(2)} ${currency}`;

function plans(): string {
  const rows = loadPlans(undefined).all.map((plan) => [
    code(plan.service),
    code(plan.name),
    price(plan),
    String(plan.callsPerMonth),
    String(plan.requestsPerSecond),
    entitlementWords(plan.service, plan.entitlements),
  ]);
  return table(["service", "plan", "price a month", "calls a month", "requests a second", "includes"], rows);
}

function reasons(): string {
  const rows = Object.entries(REASONS).map(([reason, { code: rpcCode, httpStatus, charged, retry, when }]) => [
    code(reason),
    retry ? `${when} \`Retry-After\` says when to come back.` : when,
    String(httpStatus),
    code(CODE_NAMES[rpcCode].toUpperCase()),
    charged ? "yes" : "no",
  ]);
  return table(["reason", "when", "REST status", "RPC code", "counted"], rows);
}

function environment(): string {
  const rows = variableDocs().map(({ name, fallback, meaning }) => [code(name), code(fallback), meaning]);
  return table(["variable", "default", "meaning"], rows);
}

const TABLES: Readonly<Record<string, () => string>> = { operations, plans, reasons, environment };

/** The README with its tables as they should be: each stands between `<!-- table: NAME -->` and `<!-- end -->`. Throws when one has no place. */
export function withTables(readme: string): string {
  return Object.entries(TABLES).reduce((text, [name, make]) => {
    const [before, rest = "", ...more] = text.split(`<!-- table: ${name} -->\n`);
    const end = rest.indexOf("<!-- end -->");
    if (end === -1 || more.length > 0) {
      throw new Error(`README.md must have one place for the table ${name}`);
    }
    return `${before}<!-- table: ${name} -->\n\n${make()}\n\n${rest.slice(end)}`;
  }, readme);
}
