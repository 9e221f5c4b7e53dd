// Reads the output of a benchmark's child process, one line at a time.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

/** The next line of its output, after which it waits for a command. Rejects if it ends without one. */
export async function nextLine(child: ChildProcess): Promise<string> {
  const output = child.stdout as Readable;
  let text = "";
  const ended = once(child, "exit").then(() => {
    throw new Error(`${child.spawnargs.join(" ")} ended early`);
  });
  ended.catch(() => {});
  while (!text.endsWith("\n")) {
    const [chunk] = (await Promise.race([once(output, "data"), ended])) as [Buffer];
    text += chunk.toString();
  }
  return text;
}
