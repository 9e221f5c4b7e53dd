// `npm run bench -- telemetry`: measures what the log of calls, metrics, the access log and traces add to a call, end to end. Each setting has
// a server on one core; all get the same load in turn. Options: `--rounds N`, `--seconds N`. Writes bench/telemetry.md.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Contender, startContender, startDirectory } from "./contender.ts";
import { cpuUsOf, load } from "./load.ts";
import { median, table } from "./table.ts";
import { WORKLOADS } from "./workloads.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, seconds: { type: "string", default: "3" } },
});
const roundCount = Number(values.rounds);
const seconds = Number(values.seconds);
const directory = mkdtempSync(join(tmpdir(), "quintet-telemetry-"));

// A collector that accepts everything.
let spansBytes = 0;
const collector = createServer((request, response) => {
  request.on("data", (chunk: Buffer) => {
    spansBytes += chunk.length;
  });
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
}).listen(0, "127.0.0.1");
await once(collector, "listening");

const admin = { QUINTET_ADMIN_PORT: "0" };
const accessLog = { QUINTET_ACCESS_LOG: join(directory, "access.log") };
const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
};
const SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "nothing on but the log of calls": {},
  metrics: admin,
  "access log": accessLog,
  "traces of 1% of the calls": { ...traces, OTEL_TRACES_SAMPLER_ARG: "0.01" },
  "traces of all calls": { ...traces, OTEL_TRACES_SAMPLER_ARG: "1" },
  "metrics, access log and traces of 1%": { ...admin, ...accessLog, ...traces, OTEL_TRACES_SAMPLER_ARG: "0.01" },
};

const radio = ["--directory", String(await startDirectory())];
const contenders = new Map<string, Contender>();
for (const [name, variables] of Object.entries(SETTINGS)) {
  const more = Object.entries(variables).flatMap(([variable, value]) => ["--set", `${variable}=${value}`]);
  contenders.set(name, await startContender("quintet", { more: [...radio, ...more] }));
}

const sections: string[] = [];
for (const workload of WORKLOADS.filter(({ name }) => name === "gRPC score" || name === "REST score")) {
  const costs = new Map<string, number[]>([...contenders.keys()].map((name) => [name, []]));
  for (const contender of contenders.values()) {
    await load(contender, workload, 2);
  }
  for (let round = 0; round < roundCount; round += 1) {
    for (const [name, contender] of contenders) {
      costs.get(name)?.push(cpuUsOf(await load(contender, workload, seconds)));
    }
  }
  const off = costs.get("nothing on") ?? [];
  const rows = [...costs].map(([name, taken]) => [
    name,
    median(taken).toFixed(2),
    median(taken.map((cost, round) => cost - (off[round] ?? Number.NaN))).toFixed(2),
  ]);
  sections.push(`## ${workload.name}\n\n${table(["on", "CPU a call, µs", "more than with nothing on"], rows)}\n`);
}
for (const contender of contenders.values()) {
  await contender.stop();
}
collector.close();
rmSync(directory, { recursive: true, force: true });

writeFileSync(
  "bench/telemetry.md",
  `# What telemetry costs

Written by \`npm run bench -- telemetry\`. Each row is a separate server on one core; the load comes from another; rounds alternate, and
the median is given, of the differences too: ${roundCount} rounds of ${seconds} s after a warm-up. CPU time is that of the server's process with
all its threads, its own and the kernel's on its behalf. A collector took ${Math.round(spansBytes / 1e6)} MB of spans.

Machine: ${cpus()[0]?.model}, ${cpus().length} cores. Node ${process.version}.

${sections.join("\n")}`,
);
