// A listener in its own process, and its use of CPU and memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** The process. */
export interface ServerProcess {
  readonly port: number;
  cpuSeconds(): number;
  residentMib(): number;
  stop(): void;
}

/** Starts one. */
export async function startServer(): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["packages/http/test/soak/server.ts"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return {
    port: JSON.parse(line.toString()).port,
    cpuSeconds() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    residentMib: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    stop: () => child.kill(),
  };
}
