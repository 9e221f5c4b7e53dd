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
import { WORKLOADS, type Workload } from "./workloads.ts";

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
const contenders = new Map<string, Contender>();
async function contenderOf(name: ContenderName, { isSecure = false }: Workload): Promise<Contender> {
  const id = `${name} ${isSecure}`;
  const profileTo = id === "quintet false" ? values.profile : undefined;
  const contender = contenders.get(id) ?? (await startContender(name, { isSecure, profileTo, more: more(name) }));
  contenders.set(id, contender);
  return contender;
}

const results: Result[] = [];
let residentBefore: (() => number) | undefined;
let mibBefore = 0;
let calls = 0;
for (const workload of workloads) {
  const rounds = new Map<ContenderName, Round[]>();
  const halfLoads = new Map<ContenderName, HalfLoad>();
  for (const name of workload.contenders) {
    const contender = await contenderOf(name, workload);
    await checkAnswer(contender, workload);
    // The first load is a warm-up: the compiler has seen nothing yet.
    await load(contender, workload, 1);
    rounds.set(name, []);
  }
  const ours = await contenderOf("quintet", workload);
  if (residentBefore === undefined) {
    residentBefore = ours.residentMib;
    mibBefore = ours.residentMib();
  }
  for (let round = 0; round < roundCount; round += 1) {
    for (const name of workload.contenders) {
      const taken = await load(await contenderOf(name, workload), workload, seconds);
      rounds.get(name)?.push(taken);
      calls += name === "quintet" ? taken.requestsPerSecond * seconds : 0;
    }
  }
  for (const name of hasHalfLoad(workload) ? workload.contenders : []) {
    const full = median((rounds.get(name) ?? []).map(({ requestsPerSecond }) => requestsPerSecond));
    halfLoads.set(name, await measureHalfLoad(await contenderOf(name, workload), workload, seconds, full));
  }
  results.push({ workload, rounds, halfLoads });
  process.stderr.write(`${workload.name} done\n`);
}
const standing = { starts, mibBeforeAndAfter: [mibBefore, residentBefore?.() ?? 0] as const, callsBetween: calls };
for (const contender of contenders.values()) {
  await contender.stop();
}
const [grpc] = workloads.filter(({ name }) => name === "gRPC score");
const idleKib = grpc === undefined ? new Map() : await measureIdleConnections(grpc, more);
const threads = await measureThreads(workloads, { directory, roundCount, seconds });
const report = reportOf({ results, threads, idleKib, standing, roundCount, seconds });
process.stdout.write(report);
if (!values["no-write"]) {
  writeFileSync("bench/results.md", report);
}
