// Starts a process that leases as fast as it can.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Starts lease-racer.ts and waits until it is ready; `run` starts the leasing and returns how many calls it got. */
export async function startRacer(...args: readonly string[]): Promise<{ run(): Promise<number> }> {
  const racer = spawn(process.execPath, [join(import.meta.dirname, "lease-racer.ts"), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  racer.stdout.setEncoding("utf8");
  await once(racer.stdout, "data");
  return {
    async run() {
      racer.stdin.end();
      const ended = once(racer, "close").then(([code]) => {
        throw new Error(`A process that leases ended with ${code} and said nothing.`);
      });
      const [output] = await Promise.race([once(racer.stdout, "data"), ended]);
      return Number(output);
    },
  };
}
