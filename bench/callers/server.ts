// One server of the bench: the real program in its own process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { DEAD_UPSTREAMS } from "../../test/fixtures/dead-upstreams.ts";
import { freePort } from "../../test/fixtures/servers/server-process.ts";
import { mainThreadUs, processUs, residentMib } from "./cpu-time.ts";

/** A running server. */
export interface BenchServer {
  readonly port: number;
  /** The CPU time that it has used so far, in microseconds: of all threads, and of the main one. */
  cpuUs(): { readonly all: number; readonly mainThread: number };
  residentMib(): number;
  /** Ends it as an operator would, with Ctrl-C. */
  stop(): Promise<void>;
}

/** Starts `quintet serve` with these variables. With `profileTo` it writes CPU profiles of its threads there when it stops. */
export async function startServer(variables: Readonly<Record<string, string>>, profileTo?: string): Promise<BenchServer> {
  const port = await freePort();
  const profile = profileTo === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileTo}`];
  const child = spawn(process.execPath, [...profile, "src/start.js", "serve"], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      ...DEAD_UPSTREAMS,
      QUINTET_PORT: String(port),
      QUINTET_LOG_LEVEL: "warn",
      // The whole load has one address.
      QUINTET_CONNECTIONS_PER_ADDRESS_MAX: "0",
      ...variables,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const pid = child.pid ?? 0;
  const ended = once(child, "exit");
  process.once("exit", () => child.kill("SIGKILL"));
  const isReady = async (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) {
      throw new Error("A server did not start.");
    }
    await wait(50);
  }
  return {
    port,
    cpuUs: () => ({ all: processUs(pid), mainThread: mainThreadUs(pid) }),
    residentMib: () => residentMib(pid),
    async stop() {
      child.kill("SIGINT");
      await ended;
    },
  };
}
