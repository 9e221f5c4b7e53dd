// Brings the figures in README.md and docs/operate/capacity.md up to date with a run of the whole bench.
import { readFileSync, writeFileSync } from "node:fs";
import { cpuUsOf } from "./load.ts";
import type { Result } from "./report.ts";
import { median, whole } from "./table.ts";

/** The rows of the table in capacity.md, and the workloads that they are measured by. */
const CAPACITY_ROWS: readonly (readonly [row: string, workload: string])[] = [
  ["gRPC, a small response, many at once on a connection", "gRPC score"],
  ["gRPC, one at a time on a connection", "gRPC score, one stream a connection"],
  ["gRPC-Web, a small response", "gRPC-Web score"],
  ["Connect with JSON, a small response", "Connect score, JSON"],
  ["REST, a small response", "REST score"],
  ["REST, a page of 20 stations", "REST search of 20"],
  ["REST, a page of 100 stations", "REST search of 100"],
];

const README_FIGURES =
  /(A gRPC call takes )\d+%( of the CPU time that it takes in grpc-go, and a REST call )\d+%( of what it takes in Fastify)/;

const capacityFigure = (row: string): RegExp => new RegExp(`(\\| ${row} \\| )[\\d,]+( \\|)`);

/** Where the figures are: a file, and what matches a figure with the text around it. */
export const PLACES: readonly (readonly [path: string, figure: RegExp])[] = [
  ["README.md", README_FIGURES],
  ...CAPACITY_ROWS.map(([row]) => ["docs/operate/capacity.md", capacityFigure(row)] as const),
];

/** Writes both files. Throws an Error if the place of a figure is missing. */
export function writeFiguresInDocs(results: readonly Result[]): void {
  const roundsOf = (workload: string): Result["rounds"] => {
    const found = results.find(({ workload: { name } }) => name === workload);
    if (found === undefined) {
      throw new Error(`there is no workload "${workload}"`);
    }
    return found.rounds;
  };
  const percentage = (workload: string, peer: Parameters<Result["rounds"]["get"]>[0]): string => {
    const rounds = roundsOf(workload);
    const peers = rounds.get(peer) ?? [];
    return `${Math.round(100 * median((rounds.get("quintet") ?? []).map((own, round) => cpuUsOf(own) / cpuUsOf(peers[round] ?? own))))}%`;
  };
  const grpc = percentage("gRPC score", "grpc-go");
  const rest = percentage("REST score", "fastify with key and rate limit");
  replace("README.md", [[README_FIGURES, `$1${grpc}$2${rest}$3`]]);
  replace(
    "docs/operate/capacity.md",
    CAPACITY_ROWS.map(([row, workload]) => {
      const perSecond = median((roundsOf(workload).get("quintet") ?? []).map(({ requestsPerSecond }) => requestsPerSecond));
      return [capacityFigure(row), `$1${whole(Math.round(perSecond / 1000) * 1000)}$2`];
    }),
  );
}

function replace(path: string, changes: readonly (readonly [RegExp, string])[]): void {
  const text = changes.reduce(
    (before, [pattern, replacement]) => {
      if (!pattern.test(before)) {
        throw new Error(`${path} has no place for a figure: ${pattern.source}`);
      }
      return before.replace(pattern, replacement);
    },
    readFileSync(path, "utf8"),
  );
  writeFileSync(path, text);
}
