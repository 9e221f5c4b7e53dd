// `npm run bench`: runs every contender under every workload that it supports, side by side. Options: `--rounds N`, `--seconds N`, `--only
// TEXT` for the workloads whose name contains it, `--peers TEXT` likewise, `--profile FOLDER` for a CPU profile of Quintet with its guard,
// `--no-write`. A run of everything also writes the figures in README.md and docs/operate/capacity.md, and takes about half an hour on a
// quiet machine. Needs Go 1.26.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Contender, startContender, startDirectory } from "./contender.ts";
import type { ContenderName } from "./contenders.ts";
import { writeFiguresInDocs } from "./figures-in-docs.ts";
import { measureHalfLoad } from "./half-load.ts";
import { measureIdleConnections } from "./idle-connections.ts";
import { load, type Round } from "./load.ts";
import { type Result, reportOf } from "./report.ts";
import { measureStarts } from "./start.ts";
import { median } from "./table.ts";
import { measureThreads } from "./threads.ts";
import { WORKLOADS } from "./workloads.ts";

// Repeated requests share one key. Its plan allows 100,000 calls a second and a burst as large, so a round of a second can have 200,000,
// and a longer one fewer in each second.
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    peers: { type: "string", default: "" },
    profile: { type: "string" },
    "no-write": { type: "boolean", default: false },
  },
});
const roundCount = Number(values.rounds);
const seconds = Number(values.seconds);
const workloads = WORKLOADS.filter(({ name }) => name.includes(values.only)).map((workload) => ({
  ...workload,
  contenders: workload.contenders.filter((name) => name === "quintet" || name.includes(values.peers)),
}));

const starts = { bundle: await measureStarts("dist/start.js"), sources: await measureStarts("src/start.js") };
const directory = ["--directory", String(await startDirectory())];
const more = (name: ContenderName, variables: readonly string[] = []): readonly string[] =>
  name === "quintet" || name === "undici" ? [...directory, ...variables.flatMap((variable) => ["--set", variable])] : [];

// A fresh process has no compiled code, and takes some seconds of load to warm up.
const WARM_UP_ROUNDS = 3;

const results: Result[] = [];
for (const workload of workloads) {
  const { isSecure = false } = workload;
  const rounds = new Map<ContenderName, Round[]>();
  // Started again, so that no compiled code is left over from earlier requests.
  const contenders = new Map<ContenderName, Contender>();
  for (const name of workload.contenders) {
    const profileTo = name === "quintet" && !isSecure ? values.profile : undefined;
    const contender = await startContender(name, { isSecure, profileTo, more: more(name, workload.variables) });
    contenders.set(name, contender);
    rounds.set(name, []);
  }
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const contender of contenders.values()) {
      await load(contender, workload, 1);
    }
  }
  const ours = contenders.get("quintet");
  const mibBefore = ours?.residentMib() ?? 0;
  for (let round = 0; round < roundCount; round += 1) {
    for (const [name, contender] of contenders) {
      rounds.get(name)?.push(await load(contender, workload, seconds));
    }
  }
  const mibBeforeAndAfter = [mibBefore, ours?.residentMib() ?? 0] as const;
  const halfLoads = await measureHalfLoad(workload.hasHalfLoad ? contenders : new Map(), workload, roundCount, (name) =>
    median((rounds.get(name) ?? []).map(({ requestsPerSecond }) => requestsPerSecond)),
  );
  for (const contender of contenders.values()) {
    await contender.stop();
  }
  results.push({ workload, rounds, halfLoads, mibBeforeAndAfter });
  process.stderr.write(`${workload.name} done\n`);
}
const idleKib = workloads.length < WORKLOADS.length ? new Map() : await measureIdleConnections(more);
const threads = await measureThreads(workloads, { directory, roundCount, seconds });
const report = reportOf({ results, threads, idleKib, starts, roundCount, seconds });
process.stdout.write(report);
if (!values["no-write"]) {
  writeFileSync("bench/results.md", report);
  if (workloads.length === WORKLOADS.length && values.peers === "") {
    writeFiguresInDocs(results);
  }
}
