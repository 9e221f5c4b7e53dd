// `npm run bench`: every contender under every workload that it answers, side by side. Options: `--rounds N`, `--seconds N`,
// `--only TEXT` for the workloads whose name holds it, `--profile FOLDER` for a CPU profile of Quintet, its guard on, `--no-write`.
// The contenders in Go take part where Go is installed.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkAnswer } from "./answer-check.ts";
import { type Contender, startContender, startDirectory } from "./contender.ts";
import { COMMANDS, type ContenderName } from "./contenders.ts";
import { type HalfLoad, hasHalfLoad, measureHalfLoad } from "./half-load.ts";
import { measureIdleConnections } from "./idle-connections.ts";
import { load, type Round } from "./load.ts";
import { type Result, reportOf } from "./report.ts";
import { measureStarts } from "./start.ts";
import { median } from "./table.ts";
import { measureThreads } from "./threads.ts";
import { WORKLOADS } from "./workloads.ts";

// A plan admits at most 100,000 calls a second, and as many at once. So a round of a second may have 200,000, and a longer one less in each second.
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    seconds: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    profile: { type: "string" },
    "no-write": { type: "boolean", default: false },
  },
});
const roundCount = Number(values.rounds);
const seconds = Number(values.seconds);
const workloads = WORKLOADS.filter(({ name }) => name.includes(values.only)).map((workload) => ({
  ...workload,
  contenders: workload.contenders.filter((name) => COMMANDS.has(name)),
}));

const starts = { bundle: await measureStarts("dist/start.js"), sources: await measureStarts("src/start.js") };
const directory = ["--directory", String(await startDirectory())];
const more = (name: ContenderName): readonly string[] => (name === "quintet" ? directory : []);

// The compilers have seen nothing when a process starts, and go on for two seconds of load. A second at a time, because a plan's rate is 100,000 calls at
// most, and what is saved up of it lasts for as many more.
const WARM_UP_ROUNDS = 3;

const results: Result[] = [];
for (const workload of workloads) {
  const { isSecure = false } = workload;
  const rounds = new Map<ContenderName, Round[]>();
  const halfLoads = new Map<ContenderName, HalfLoad>();
  // Started anew, so that none is compiled for what it was asked before.
  const contenders = new Map<ContenderName, Contender>();
  for (const name of workload.contenders) {
    const profileTo = name === "quintet" && !isSecure ? values.profile : undefined;
    const contender = await startContender(name, { isSecure, profileTo, more: more(name) });
    contenders.set(name, contender);
    await checkAnswer(contender, workload);
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
  for (const [name, contender] of hasHalfLoad(workload) ? contenders : []) {
    const full = median((rounds.get(name) ?? []).map(({ requestsPerSecond }) => requestsPerSecond));
    halfLoads.set(name, await measureHalfLoad(contender, workload, seconds, full));
  }
  for (const contender of contenders.values()) {
    await contender.stop();
  }
  results.push({ workload, rounds, halfLoads, mibBeforeAndAfter });
  process.stderr.write(`${workload.name} done\n`);
}
const [grpc] = workloads.filter(({ name }) => name === "gRPC score");
const idleKib = grpc === undefined ? new Map() : await measureIdleConnections(grpc, more);
const threads = await measureThreads(workloads, { directory, roundCount, seconds });
const report = reportOf({ results, threads, idleKib, starts, roundCount, seconds });
process.stdout.write(report);
if (!values["no-write"]) {
  writeFileSync("bench/results.md", report);
}
