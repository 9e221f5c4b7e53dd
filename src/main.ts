// The entry point: passes arguments, environment, signals and output streams to the command line. Nothing else in the program accesses
// them.
import { availableParallelism, hostname, userInfo } from "node:os";
import type { ServerEdge } from "./cli/server-edge.ts";
import { tuneToLoad } from "./runtime/v8-flags.ts";

// This must come before the rest of the program runs, and so before it is imported.
tuneToLoad();
const { runCommandLine } = await import("./cli/command-line.ts");
const { readSecret } = await import("./cli/secret-input.ts");
const { systemClock } = await import("./runtime/clock.ts");
const { systemRandomness } = await import("./runtime/randomness.ts");

// The reader of our output may close it early, as `head` does, or the disk may be full.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") {
    process.exit(0);
  }
  process.stderr.write(`quintet: The output could not be written: ${error.message}.\n`);
  process.exit(1);
});
// There is nowhere left to report it.
process.stderr.on("error", () => {});

// In a container the user may have only a number.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

const edge: ServerEdge = {
  variables: process.env,
  operator: { user: userName(), host: hostname() },
  cores: availableParallelism(),
  clock: systemClock,
  randomness: systemRandomness,
  readSecret: (prompt) => readSecret(process.stdin, prompt, (text) => process.stderr.write(text)),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  untilStopped: () =>
    new Promise((resolve) => {
      const keptAlive = setInterval(() => {}, 2 ** 30);
      const stop = (): void => {
        clearInterval(keptAlive);
        // Without a listener, a second signal of either kind ends the process at once, which is Node's default.
        process.off("SIGTERM", stop).off("SIGINT", stop);
        resolve();
      };
      process.on("SIGTERM", stop).on("SIGINT", stop);
    }),
  onUncaught: (isContained) =>
    process.on("uncaughtException", (error) => {
      if (!isContained(error)) {
        process.exit(1);
      }
    }),
  onReload: (callback) => process.on("SIGHUP", callback),
};

process.exitCode = await runCommandLine(edge, process.argv.slice(2));
