// `npm run bench`: every contender under every workload that it answers, side by side. Options: `--rounds N`, `--seconds N`,
// `--only TEXT` for the workloads whose name holds it, `--profile FOLDER` for a CPU profile of Quintet, its guard on, `--no-write`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Contender, startContender, startDirectory } from "./contender.ts";
import { checkAnswer, load, type Round } from "./load.ts";
import { type Result, reportOf } from "./report.ts";
import { measureStarts } from "./start.ts";
import { measureThreads } from "./threads.ts";
import { type ContenderName, WORKLOADS } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    only: { type: "string", default: "" },
    profile: { type: "string" },
    "no-write": { type: "boolean", default: false },
  },
});
const roundCount = Number(values.rounds);
const seconds = Number(values.seconds);
const workloads = WORKLOADS.filter(({ name }) => name.includes(values.only));

const start = await measureStarts();
const directoryPort = await startDirectory();
const contenders = new Map<ContenderName, Contender>();
for (const name of new Set(workloads.flatMap((workload) => workload.contenders))) {
  contenders.set(name, await startContender(name, { directoryPort, profileTo: name === "quintet" ? values.profile : undefined }));
}
const ours = contenders.get("quintet") as Contender;

const results: Result[] = [];
let mibBefore = 0;
let calls = 0;
for (const workload of workloads) {
  const rounds = new Map<ContenderName, Round[]>();
  for (const name of workload.contenders) {
    const contender = contenders.get(name) as Contender;
    await checkAnswer(contender, workload);
    // The first load is a warm-up: the compiler has seen nothing yet.
    await load(contender, workload, 2);
    rounds.set(name, []);
  }
  mibBefore ||= ours.residentMib();
  for (let round = 0; round < roundCount; round += 1) {
    for (const name of workload.contenders) {
      const taken = await load(contenders.get(name) as Contender, workload, seconds);
      rounds.get(name)?.push(taken);
      calls += name === "quintet" ? taken.requestsPerSecond * seconds : 0;
    }
  }
  results.push({ workload, rounds });
  process.stderr.write(`${workload.name} done\n`);
}
const standing = {
  start,
  mibBeforeAndAfter: [mibBefore, ours.residentMib()] as const,
  callsBetween: calls,
};
for (const contender of contenders.values()) {
  await contender.stop();
}
const threads = await measureThreads(workloads, { directoryPort, roundCount, seconds });
const report = reportOf({ results, threads, standing, roundCount, seconds });
process.stdout.write(report);
if (!values["no-write"]) {
  writeFileSync("bench/results.md", report);
}
