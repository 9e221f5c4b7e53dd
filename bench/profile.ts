// `npm run bench -- profile`: profiles REST and gRPC calls with V8's sampling profiler, with varying requests. Option: `--seconds N`. Writes
// bench/profile.md.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startContender, startDirectory } from "./contender.ts";
import { cpuUsOf, load } from "./load.ts";
import { table } from "./table.ts";
import { WORKLOADS, type Workload } from "./workloads.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "5" } } });
const WARM_UP_SECONDS = 5;

/** Where time goes, by the function that runs or, innermost first, that called it: the first pattern that matches counts. */
const STAGES: readonly (readonly [stage: string, pattern: RegExp])[] = [
  ["the system's write, with the text copied for it", /^(?:writeLatin1String|writeBuffer|writev) /],
  ["collecting garbage", /^\(garbage collector\)/],
  ["writing usage to the store, once a second", / src\/store\/| node_modules\/kysely\//],
  ["HPACK: decoding", / src\/http\/hpack\/(?:decoder|dynamic-table|header-field|field-bytes|huffman-decoding)/],
  ["HPACK: encoding", / src\/http\/hpack\//],
  ["reading the head", / src\/http\/(?:h1\/(?:head-reader|header-block|header-names|request-line)|h2\/request-facts|request-head)/],
  ["writing the head", / src\/http\/(?:h1\/(?:response-head|whole-response)|h2\/response-encoder)|^#head /],
  ["the rest of the transport", / src\/http\//],
  ["the guard", / src\/guard\/| src\/gateway\/access-check/],
  ["limit headers", / src\/gateway\/limit-headers| src\/runtime\/decimal/],
  ["the request's id", / src\/runtime\/randomness/],
  [
    "parsing the message",
    /^parseMessage | src\/gateway\/rest\/(?:bind|parameter|urlencoded|fields|message-builder|scalar|value-reader|field-reader)/,
  ],
  ["parsing the message", / src\/gateway\/rpc\/(?:envelope|proto-bounds|timeout)/],
  ["validation", / src\/gateway\/rpc\/(?:validation|fast-validator)/],
  ["the service", / src\/services\//],
  ["writing the message", /^writeMessage | src\/gateway\/rest\/(?:success|rest-text|rest-encoder|rest-value-encoder)/],
  ["finding the method, and the pipeline", / src\/gateway\/| src\/runtime\//],
];
const OTHER = "Node, and everything not listed above";

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Share of each stage in the time from `fromUs` on, in which the thread was not idle. */
function sharesOf({ nodes, startTime, samples, timeDeltas }: CpuProfile, fromUs: number): ReadonlyMap<string, number> {
  const names = new Map<number, string>();
  const parents = new Map<number, number>();
  for (const { id, callFrame, children = [] } of nodes) {
    names.set(id, `${callFrame.functionName} ${callFrame.url.replace(/^file:\/\//, "").replace(`${process.cwd()}/`, "")}`);
    for (const child of children) {
      parents.set(child, id);
    }
  }
  const stageOf = (node: number): string => {
    for (let at: number | undefined = node; at !== undefined; at = parents.get(at)) {
      const name = names.get(at) ?? "";
      const found = STAGES.find(([, pattern]) => pattern.test(name));
      if (found !== undefined) {
        return found[0];
      }
    }
    return OTHER;
  };
  const spent = new Map<string, number>();
  let atUs = startTime;
  let total = 0;
  for (const [index, node] of samples.entries()) {
    atUs += timeDeltas[index] ?? 0;
    const tookUs = timeDeltas[index + 1] ?? 0;
    if (atUs >= fromUs && names.get(node)?.startsWith("(idle)") !== true) {
      const stage = stageOf(node);
      spent.set(stage, (spent.get(stage) ?? 0) + tookUs);
      total += tookUs;
    }
  }
  return new Map([...spent].map(([stage, us]) => [stage, us / total]));
}

async function profile(workload: Workload, directory: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "quintet-profile-"));
  const contender = await startContender("quintet", { profileTo: folder, more: directory });
  for (let second = 0; second < WARM_UP_SECONDS; second += 1) {
    await load(contender, workload, 1);
  }
  // The profile's clock is the system's monotonic one, in microseconds.
  const fromUs = Number(process.hrtime.bigint() / 1000n);
  const round = await load(contender, workload, Number(values.seconds));
  await contender.stop();
  const profiles = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as CpuProfile);
  rmSync(folder, { recursive: true });
  const [longest] = profiles.toSorted((a, b) => b.samples.length - a.samples.length);
  const shares = longest === undefined ? new Map<string, number>() : sharesOf(longest, fromUs);
  const us = cpuUsOf(round);
  const rows = [...shares]
    .toSorted((a, b) => b[1] - a[1])
    .map(([stage, share]) => [stage, (share * us).toFixed(2), `${(share * 100).toFixed(1)}%`]);
  return [`## ${workload.name}`, "", `${us.toFixed(1)} µs a call.`, "", table(["where", "µs", "share"], rows), ""].join("\n");
}

const directory = ["--directory", String(await startDirectory())];
const sections: string[] = [];
for (const workload of WORKLOADS.filter(({ name }) => name === "gRPC score" || name === "REST score")) {
  sections.push(await profile(workload, directory));
}
writeFileSync(
  "bench/profile.md",
  `# Where the time of a call goes

Written by \`npm run bench -- profile\`. Calls differ, as in [results.md](results.md). A sample counts for the function that runs or, if it has no place in
the table, for the one that called it. The profiler itself makes calls more expensive, and on a machine with other work the shares mean more than the
microseconds.

Machine: ${cpus()[0]?.model}, ${cpus().length} cores. Node ${process.version}.

${sections.join("\n")}`,
);
