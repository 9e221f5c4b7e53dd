// Writes the figures of a run to bench/results.md.
import { cpus, loadavg, totalmem } from "node:os";
import type { ContenderName } from "./contenders.ts";
import type { HalfLoad } from "./half-load.ts";
import { cpuUsOf, type Round } from "./load.ts";
import type { StartCost } from "./start.ts";
import { median, table, whole } from "./table.ts";
import type { ThreadResult } from "./threads.ts";
import type { Workload } from "./workloads.ts";

/** The rounds of one workload, by contender. */
export interface Result {
  readonly workload: Workload;
  readonly rounds: ReadonlyMap<ContenderName, readonly Round[]>;
  readonly halfLoads: ReadonlyMap<ContenderName, HalfLoad>;
  /** Quintet's resident memory before and after its rounds. */
  readonly mibBeforeAndAfter: readonly [number, number];
}

/** The cost of a start: from the bundle, as in production, and from the sources. */
export interface Starts {
  readonly bundle: StartCost;
  readonly sources: StartCost;
}

// Variants of our server are not peers.
const OURS: ReadonlySet<ContenderName> = new Set(["quintet", "quintet, guard off"]);

/** Workloads that should cost what gRPC costs, and how much more they may. */
const LIKE_GRPC = ["gRPC score", "gRPC-Web score", "Connect score, binary", "Connect score, JSON"];
const LIKE_GRPC_AIM = 1.2;
/** p99 and p99.9 at half load, as a multiple of the best peer's. */
const LATENCY_AIM = 1;
/** CPU time per call with many threads, as a multiple of that with one. */
const THREADS_AIM = 1.05;
const IDLE_KIB_AIM = 16;
const START_MS_AIM = 500;
const IDLE_MIB_AIM = 90;

const verdict = (aim: number | undefined, figure: number): string =>
  aim === undefined || Number.isNaN(figure) ? "" : `${aim} ${figure <= aim ? "met" : "missed"}`;

const over = (rounds: readonly Round[], figure: (round: Round) => number): number => median(rounds.map(figure));

function tableOf({ workload, rounds }: Result): string {
  const ours = rounds.get("quintet") ?? [];
  const rows = workload.contenders.map((name) => {
    const taken = rounds.get(name) ?? [];
    // Compared round by round, because a shared machine has fast and slow minutes.
    const ratio = median(ours.map((own, round) => cpuUsOf(own) / cpuUsOf(taken[round] ?? own)));
    return [
      name,
      whole(over(taken, ({ requestsPerSecond }) => requestsPerSecond)),
      over(taken, cpuUsOf).toFixed(1),
      over(taken, ({ userUs }) => userUs).toFixed(1),
      over(taken, ({ systemUs }) => systemUs).toFixed(1),
      OURS.has(name) ? "" : ratio.toFixed(2),
      verdict(workload.aims[name], ratio),
    ];
  });
  const columns = ["contender", "requests/s", "CPU a call, µs", "user", "system", "quintet's CPU to its", "aim"];
  const loadShare = over(ours, (round) => round.loadShare);
  const shape = `${workload.connections} connections, each with ${workload.streams} at a time. The load uses ${whole(100 * loadShare)}% of its core against Quintet.`;
  return [`## ${workload.name}`, "", shape, "", table(columns, rows), ""].join("\n");
}

function halfLoadOf({ workload, halfLoads }: Result): string {
  const ours = halfLoads.get("quintet");
  const best = (figure: (halfLoad: HalfLoad) => number): number =>
    Math.min(...[...halfLoads].filter(([name]) => !OURS.has(name)).map(([, taken]) => figure(taken)));
  const rows = [...halfLoads].map(([name, { callsPerSecond, p50Ms, p99Ms, p999Ms }]) => [
    name,
    whole(callsPerSecond),
    ...[p50Ms, p99Ms, p999Ms].map((ms) => ms.toFixed(2)),
  ]);
  const ratios = [({ p99Ms }: HalfLoad) => p99Ms, ({ p999Ms }: HalfLoad) => p999Ms].map((figure) =>
    ours === undefined ? Number.NaN : figure(ours) / best(figure),
  );
  const [p99 = Number.NaN, p999 = Number.NaN] = ratios;
  const sentence = `Quintet's p99 is ${p99.toFixed(2)} of the best peer's (${verdict(LATENCY_AIM, p99)}), its p99.9 ${p999.toFixed(2)} (${verdict(LATENCY_AIM, p999)}).`;
  return [
    `### ${workload.name}`,
    "",
    sentence,
    "",
    table(["contender", "calls/s", "p50, ms", "p99, ms", "p99.9, ms"], rows),
    "",
  ].join("\n");
}

function guardRowOf({ workload, rounds }: Result): readonly string[] {
  const on = (rounds.get("quintet") ?? []).map(cpuUsOf);
  const off = (rounds.get("quintet, guard off") ?? []).map(cpuUsOf);
  const differences = on.map((us, round) => us - (off[round] ?? Number.NaN));
  return [workload.name, ...[on, off, differences].map((values) => median(values).toFixed(1))];
}

function likeGrpcRows(results: readonly Result[]): readonly (readonly string[])[] {
  const oursOf = (name: string): readonly number[] =>
    (results.find(({ workload }) => workload.name === name)?.rounds.get("quintet") ?? []).map(cpuUsOf);
  const grpcUs = median(oursOf("gRPC score"));
  return LIKE_GRPC.filter((name) => oursOf(name).length > 0).map((name) => {
    const us = median(oursOf(name));
    return [name, us.toFixed(1), Number.isNaN(grpcUs) ? "" : (us / grpcUs).toFixed(2), verdict(LIKE_GRPC_AIM, us / grpcUs)];
  });
}

function threadRowsOf({ workload, rounds }: ThreadResult): readonly (readonly (string | number)[])[] {
  const alone = rounds.get(1) ?? [];
  return [...rounds].map(([threads, taken]) => {
    const ratio = median(taken.map((round, index) => cpuUsOf(round) / cpuUsOf(alone[index] ?? round)));
    return [
      workload,
      threads,
      whole(over(taken, ({ requestsPerSecond }) => requestsPerSecond)),
      over(taken, cpuUsOf).toFixed(1),
      threads === 1 ? "" : ratio.toFixed(2),
      threads === 1 ? "" : verdict(THREADS_AIM, ratio),
    ];
  });
}

/** The data of a report. */
export interface Measured {
  readonly results: readonly Result[];
  readonly threads: readonly ThreadResult[];
  /** Resident memory of an idle connection. */
  readonly idleKib: ReadonlyMap<ContenderName, number>;
  readonly starts: Starts;
  readonly roundCount: number;
  readonly seconds: number;
}

// The machine's other load, measured before anything runs.
const [loadBefore = 0] = loadavg();

/** The whole report. */
export function reportOf({ results, threads, idleKib, starts, roundCount, seconds }: Measured): string {
  const [cpu] = cpus();
  const [first] = results;
  const [before, after] = first?.mibBeforeAndAfter ?? [0, 0];
  const calls = (first?.rounds.get("quintet") ?? []).reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond * seconds, 0);
  return [
    "# Bench",
    "",
    "Written by `npm run bench`. Each contender is a separate process on one core, started again for each table, and the load comes from another;",
    `rounds alternate between contenders, and figures and ratios are medians: ${roundCount} rounds of ${seconds} s after a warm-up of three seconds. Compare within a`,
    "table, not between machines. Quintet has its guard on and sends the whole envelope, and so do grpc-go, connect-go and grpc-gateway; the other",
    "peers do what their names say. Quintet writes the JSON of cached results, such as a station or the score of a roll, only once; the REST peers",
    "write each response again. CPU time is that of the contender's process with all its threads, its own and the kernel's on its behalf. An aim is the most that",
    "Quintet's may be.",
    "",
    "Calls differ, as those of real callers do: 200 keys of 200 accounts, rolls of 1 to 6 dice in any order, a new `traceparent` each time, a new deadline in gRPC",
    "and Connect, five kinds of clients in REST. Header blocks of HTTP/2 are those of Go's own encoder, which adds each new value to the connection's",
    "table. Searches ask for no compression, because the peers have none.",
    '`bench/go/load` sends the calls, and checks every response. In tables whose names end in "repeated", each connection sends one request again and again.',
    "[profile.md](profile.md) says where the time of a call goes.",
    "",
    `Machine: ${cpu?.model ?? "unknown"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB. Node ${process.version}.`,
    `Its load average when the run started was ${loadBefore.toFixed(1)}. If it is above 1, other work has affected the figures.`,
    "",
    ...results.map(tableOf),
    "## The protocols side by side",
    "",
    table(["workload", "CPU a call, µs", "to gRPC's", "aim"], likeGrpcRows(results)),
    "",
    "## How long calls take at half load",
    "",
    "Each contender gets half of the calls per second that it completed above, and no more than one core.",
    "",
    ...results.filter(({ halfLoads }) => halfLoads.size > 0).map(halfLoadOf),
    "## What the guard adds to a call",
    "",
    "CPU time of the whole process for one call, in microseconds. Off is the same gateway behind a guard that admits every call at once, charges",
    "nothing and has no limits; the requests are the same, including the key. The difference is the median of the rounds' differences,",
    "each with the guard on and then off. It includes the RateLimit headers, which are only sent with the guard on.",
    "[guard.md](guard.md) has what the admission costs by itself.",
    "",
    table(
      ["workload", "guard on, µs", "guard off, µs", "difference, µs"],
      results.filter(({ rounds }) => rounds.has("quintet, guard off")).map(guardRowOf),
    ),
    "",
    "## Threads",
    "",
    "With more than two cores, each thread has one and the load has the rest, with up to half as many threads as cores. On two cores the server and",
    "the load share both. 32 connections for each thread, which the kernel spreads over the threads.",
    "",
    table(["workload", "threads", "requests/s", "CPU a call, µs", "to one thread's", "aim"], threads.flatMap(threadRowsOf)),
    "",
    "## An idle connection",
    "",
    "Resident memory of one of a thousand connections over HTTP/2 that have each made one gRPC call.",
    "",
    table(
      ["contender", "KiB", "aim"],
      [...idleKib].map(([name, kib]) => [name, kib.toFixed(1), name === "quintet" ? verdict(IDLE_KIB_AIM, kib) : ""]),
    ),
    "",
    "## At rest",
    "",
    table(
      ["what", "figure", "aim"],
      [
        [
          "from the start of the bundle with one worker to the first response",
          `${whole(starts.bundle.firstAnswerMs)} ms`,
          verdict(START_MS_AIM, starts.bundle.firstAnswerMs),
        ],
        ["its resident memory when idle", `${whole(starts.bundle.idleMib)} MiB`, verdict(IDLE_MIB_AIM, starts.bundle.idleMib)],
        ["from the start of the sources to the first response", `${whole(starts.sources.firstAnswerMs)} ms`, ""],
        ["their resident memory when idle", `${whole(starts.sources.idleMib)} MiB`, ""],
        [`resident memory before and after ${whole(calls)} calls`, `${whole(before)} → ${whole(after)} MiB`, "flat"],
      ],
    ),
    "",
  ].join("\n");
}
