// `npm run bench -- questions`: the memory of a server that has served a million different searches, each a miss of its cache. Option:
// `--searches N`. Writes bench/questions.md.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { startContender, startDirectory } from "./contender.ts";
import { load } from "./load.ts";
import { table, whole } from "./table.ts";
import { WORKLOADS } from "./workloads.ts";

const { values } = parseArgs({ options: { searches: { type: "string", default: "1000000" } } });
const searches = Number(values.searches);
const STEPS = 10;
const SECONDS = 5;

const different = WORKLOADS.find(({ name }) => name === "REST searches that differ, from the cache");
if (different === undefined) {
  throw new Error("there is no such workload");
}
// With this many searches, hardly any is repeated while it is cached.
const workload = { ...different, searches: 2 * searches };
const contender = await startContender("quintet", { more: ["--directory", String(await startDirectory())] });
const rows: string[][] = [["0", whole(contender.residentMib())]];
let responded = 0;
for (let step = 1; step <= STEPS; step += 1) {
  while (responded < (searches / STEPS) * step) {
    const { requestsPerSecond } = await load(contender, workload, SECONDS);
    responded += requestsPerSecond * SECONDS;
  }
  rows.push([whole(responded), whole(contender.residentMib())]);
  process.stderr.write(`${rows.at(-1)?.join(" searches, MiB: ")}\n`);
}
await contender.stop();
writeFileSync(
  "bench/questions.md",
  `# Memory after many different searches

Written by \`npm run bench -- questions\`. REST searches for stations, each in a different order, with different filters or from a different place, from 200 accounts.
The stand-in of the radio directory responds to them. The service keeps responses for an hour, within 32 MiB.

Machine: ${cpus()[0]?.model}, ${cpus().length} cores. Node ${process.version}.

${table(["searches", "resident memory, MiB"], rows)}
`,
);
