// Callers that are separate programs, in any language: their environment says where to call, they call until their input ends, and they
// print the results as one line of JSON, `{"answered":1,"limited":0,"lost":{"why":1}}`.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { AT_ONCE, type Caller, PAUSE_MS, type Tally } from "../caller.ts";

/** A caller that is started with a command. */
export function programCaller(name: string, command: readonly [file: string, ...args: string[]]): Caller {
  return {
    name,
    start({ hosts, port, http1Port, key }) {
      const [file, ...args] = command;
      const child = spawn(file, args, {
        env: {
          ...process.env,
          HOSTS: hosts.join(","),
          PORT: String(port),
          HTTP1_PORT: String(http1Port),
          KEY: key,
          AT_ONCE: String(AT_ONCE),
          PAUSE_MS: String(PAUSE_MS),
        },
        stdio: ["pipe", "pipe", "pipe"],
      });
      child.stdin.on("error", () => {});
      const said = Promise.all([text(child.stdout), text(child.stderr)]);
      return {
        async stop() {
          child.stdin.end();
          const [out, err] = await said;
          try {
            return JSON.parse(out) as Tally;
          } catch {
            throw new Error(`${name} has told nothing of its calls:\n${out}${err}`.slice(0, 2000));
          }
        },
      };
    },
  };
}
