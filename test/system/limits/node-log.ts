// A node's log, which tells the harness what a caller cannot know: when a thread admitted its own share of each rate by itself. All of it
// goes to the process's standard error, which is read when a run fails.
import { inspect } from "node:util";
import { systemClock } from "../../../src/runtime/clock.ts";
import type { Log } from "../../../src/runtime/log.ts";

/** What a node reports. */
export type NodeNews =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "stepped" }
  | { readonly kind: "worker killed"; readonly atMs: number; readonly thread: number }
  /** `nodes`: as one of how many the thread admits its share; undefined if it has gone back to counting with the others. */
  | { readonly kind: "share"; readonly thread: number; readonly atMs: number; readonly nodes: number | undefined }
  | { readonly kind: "stopped" };

/** An order to a node. */
export type NodeOrder =
  | { readonly kind: "step"; readonly offsetMs: number }
  | { readonly kind: "kill worker"; readonly thread: number }
  | { readonly kind: "stop" };

/** The log of a thread. */
export function createNodeLog(thread: number, tell: (news: NodeNews) => void): Log {
  const say = (first: unknown, text: unknown = ""): void => {
    const about = typeof first === "string" ? first : inspect(first, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
    process.stderr.write(`${systemClock.nowMs()} thread ${thread}: ${text} ${about}\n`);
  };
  const hear = (first: unknown, text?: unknown): void => {
    const { nodes } = Object(first) as { readonly nodes?: number };
    const about = String(text ?? first);
    if (about.startsWith("Redis ")) {
      const isBack = about.startsWith("Redis responds");
      tell({ kind: "share", thread, atMs: systemClock.monotonicMs(), nodes: isBack ? undefined : nodes });
    }
    say(first, text);
  };
  return { debug: say, info: hear, warn: hear, error: hear };
}
