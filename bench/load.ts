// Puts one contender under load with h2load, from another core, and reads its figures.
import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { request as http1 } from "node:http";
import { connect as http2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Contender } from "./contender.ts";
import type { Workload } from "./workloads.ts";

/** What one round gave. */
export interface Round {
  readonly requestsPerSecond: number;
  readonly requestsPerCpuSecond: number;
}

const LOAD_CORE = "1";
// Of an HTTP/2 load, on all its connections together.
const STREAMS = 128;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "quintet-load-"));

const headersOf = (contender: Contender, workload: Workload): Record<string, string> => ({
  ...workload.headers,
  ...(contender.key !== undefined && { "x-gateway-key": contender.key }),
});

/** How a load comes. */
export interface LoadShape {
  /** The cores that `h2load` may use, as `taskset` takes them. */
  readonly cores: string;
  readonly connections: number;
}

const usual = ({ http }: Workload): LoadShape => ({ cores: LOAD_CORE, connections: http === 1 ? 32 : 8 });

/** Runs one round of `seconds`. Rejects when any answer was not a 2xx. */
export async function load(
  contender: Contender,
  workload: Workload,
  seconds: number,
  { cores, connections } = usual(workload),
): Promise<Round> {
  const shape = [`-c${connections}`, workload.http === 1 ? "--h1" : `-m${STREAMS / connections}`];
  const headers = Object.entries(headersOf(contender, workload)).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const body = workload.body === undefined ? [] : ["-d", fileOf(workload)];
  const url = `http://127.0.0.1:${contender.port}${workload.path}`;
  const before = contender.cpuSeconds();
  const { stdout } = await run("taskset", ["-c", cores, "h2load", "-t1", ...shape, `-D${seconds}`, ...headers, ...body, url]);
  const cpuSeconds = contender.cpuSeconds() - before;
  const [, done = "0", rate = "0"] = /requests: \d+ total, \d+ started, (\d+) done/.exec(stdout) ?? [];
  const perSecond = /finished in [\d.]+\w+, ([\d.]+) req\/s/.exec(stdout)?.[1] ?? rate;
  const [, ok = "0", other3 = "0", other4 = "0", other5 = "0"] =
    /status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx/.exec(stdout) ?? [];
  if (Number(ok) === 0 || Number(other3) + Number(other4) + Number(other5) > 0) {
    throw new Error(`${contender.name}, ${workload.name}: not every answer was good\n${stdout}`);
  }
  return { requestsPerSecond: Number(perSecond), requestsPerCpuSecond: Number(done) / cpuSeconds };
}

function fileOf(workload: Workload): string {
  const path = join(folder, workload.name.replaceAll(/\W/g, "-"));
  writeFileSync(path, workload.body ?? "");
  return path;
}

/** Asks once, and rejects when the answer does not hold what it should: a contender that answers wrongly is fast for nothing. */
export async function checkAnswer(contender: Contender, workload: Workload): Promise<void> {
  const text = await (workload.http === 1 ? askHttp1(contender, workload) : askHttp2(contender, workload));
  if (!text.includes(workload.holds)) {
    throw new Error(`${contender.name}, ${workload.name}: a wrong answer: ${text.slice(0, 300)}`);
  }
}

function askHttp1(contender: Contender, workload: Workload): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  http1(
    `http://127.0.0.1:${contender.port}${workload.path}`,
    { headers: headersOf(contender, workload), agent: false },
    async (response) => {
      resolve((await response.setEncoding("latin1").toArray()).join(""));
    },
  )
    .on("error", reject)
    .end();
  return promise;
}

async function askHttp2(contender: Contender, workload: Workload): Promise<string> {
  const session = http2(`http://127.0.0.1:${contender.port}`);
  try {
    const stream = session.request({ ":method": "POST", ":path": workload.path, ...headersOf(contender, workload) });
    stream.end(workload.body);
    return (await stream.setEncoding("latin1").toArray()).join("");
  } finally {
    session.close();
  }
}
