// The program as its users have it: child processes of `node src/start.js`, with an environment of their own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const START = join(import.meta.dirname, "..", "src", "start.js");

/** Environment variables. */
export type Variables = Readonly<Record<string, string>>;

/** Points every upstream at a port where nobody is, on the loopback, so that no test leaves the machine. */
export const DEAD_UPSTREAMS: Variables = {
  QUINTET_RADIO_SRV: "none",
  QUINTET_RADIO_MIRRORS: "http://127.0.0.1:9",
  QUINTET_COINS_URL: "http://127.0.0.1:9",
  QUINTET_TOKEN_LISTS: "uniswap=http://127.0.0.1:9",
  QUINTET_BITCOIN_CHARTS_URL: "http://127.0.0.1:9",
  QUINTET_BITCOIN_PRICE_URLS: "coinbase=http://127.0.0.1:9",
};

/** What a process that has ended leaves behind. */
export interface Ended {
  /** The exit code; the signal's name where one ended it. */
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

/** A process that runs. */
export interface Running {
  /** What it has printed so far. */
  readonly printed: { readonly out: string; readonly err: string };
  /** Waits until its output, or its log, holds this, and answers the match. Rejects with all that it printed when it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: "SIGTERM" | "SIGKILL"): void;
  /** When the process and its output have ended. */
  readonly ended: Promise<Ended>;
}

/** Starts `quintet` with these arguments, in a process that inherits nothing but the path. */
export function start(args: readonly string[], variables: Variables): Running {
  const child: ChildProcess = spawn(process.execPath, [START, ...args], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed.out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    printed.err += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code: code ?? signal, ...printed }));
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(printed.out) ?? pattern.exec(printed.err);
      if (found !== null) {
        return found;
      }
      const more = [child.stdout, child.stderr].map((stream) => stream && once(stream, "data"));
      const over = await Promise.race([...more.map((heard) => heard?.then(() => false)), ended.then(() => true)]);
      if (over) {
        throw new Error(`quintet ${args.join(" ")} ended before it said ${pattern}:\n${printed.out}${printed.err}`);
      }
    }
  };
  return { printed, until, signal: (name) => child.kill(name), ended };
}

/** Runs `quintet` with these arguments, split at blanks, to its end. */
export function run(line: string, variables: Variables): Promise<Ended> {
  return start(line.split(" "), variables).ended;
}

/** A server that serves. */
export interface ServerProcess extends Running {
  readonly origin: string;
  readonly port: number;
}

/** Starts `quintet serve` on a free port with dead upstreams, and waits until it serves. */
export async function serve(variables: Variables): Promise<ServerProcess> {
  const running = start(["serve"], { QUINTET_PORT: "0", ...DEAD_UPSTREAMS, ...variables });
  const [, origin = ""] = await running.until(/"origin":"([^"]+)".*"msg":"serving"/);
  return { ...running, origin, port: Number(new URL(origin).port) };
}
