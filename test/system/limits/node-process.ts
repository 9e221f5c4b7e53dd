// The harness's side of a node under test: starts the process, sends it orders, and records what it reports.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/runtime/clock.ts";
import { DEAD_UPSTREAMS } from "../../fixtures/dead-upstreams.ts";
import type { Variables } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { NodeClient } from "./node-client.ts";
import type { NodeNews, NodeOrder } from "./node-log.ts";
import { NodeRecord } from "./node-record.ts";
import { within } from "./within.ts";

// node.ts, in the bundle that `node-setup.ts` makes.
const PROGRAM = join(ROOT, "build/program/limits/node.js");

// An order takes a second or two; the rest is for a busy machine.
const ORDER_MS_MAX = 240_000;
// How much of its output is kept.
const OUTPUT_CHARS_MAX = 10_000;

/** The options of a node. */
export interface NodeOptions {
  readonly name: string;
  readonly workers: number;
  readonly offsetMs: number;
  /** Where the stores and the plans are. */
  readonly variables: Variables;
}

/** Thrown when a node's process has ended by itself. */
export class NodeEnded extends Error {
  override readonly name = "NodeEnded";
}

/** A node. */
export class NodeProcess {
  readonly name: string;
  readonly workers: number;
  readonly client: NodeClient;
  readonly record: NodeRecord;
  readonly #child: ChildProcess;
  readonly #said: () => string;
  #isClosed = false;
  #ended: NodeEnded | undefined;

  private constructor(
    child: ChildProcess,
    { name, workers }: NodeOptions,
    record: NodeRecord,
    told: { port: number; said: () => string },
  ) {
    this.name = name;
    this.workers = workers;
    this.record = record;
    this.client = new NodeClient(told.port);
    this.#child = child;
    this.#said = told.said;
    child.on("message", ({ kind }: NodeNews) => {
      this.#isClosed ||= kind === "stopped";
    });
  }

  /** Starts it, and resolves when it serves. Rejects with its output if it takes too long, and with a NodeEnded if it cannot start. */
  static async start(options: NodeOptions): Promise<NodeProcess> {
    const { workers, offsetMs, variables, name } = options;
    const env = {
      PATH: process.env.PATH,
      // As the program does; otherwise each node would compile everything again.
      NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
      ...DEAD_UPSTREAMS,
      ...variables,
      QUINTET_PORT: "0",
      QUINTET_WORKERS: String(workers),
      LIMITS_OFFSET_MS: String(offsetMs),
    };
    const child = fork(PROGRAM, { env, stdio: ["ignore", "inherit", "pipe", "ipc"] });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-OUTPUT_CHARS_MAX);
    });
    const record = new NodeRecord(name, systemClock.monotonicMs(), offsetMs);
    child.on("message", (news: NodeNews) => record.hear(news));
    const exit = once(child, "exit").then(([code, signal]): never => {
      throw new NodeEnded(`${name} ended with ${code ?? signal}:\n${said}`);
    });
    const listening = new Promise<number>((resolve) => {
      child.on("message", (news: NodeNews) => {
        if (news.kind === "listening") {
          resolve(news.port);
        }
      });
    });
    try {
      const started = Promise.race([listening, exit]);
      const port = await within(ORDER_MS_MAX, () => `${name} does not listen, having said\n${said}\n`, started);
      const node = new NodeProcess(child, options, record, { port, said: () => said });
      exit.catch((error: NodeEnded) => {
        node.#ended = error;
      });
      return node;
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  /** What it printed last. */
  get lastOutput(): string {
    return this.#said();
  }

  /** Throws with its output if it has ended. */
  requireAlive(): void {
    if (this.#ended !== undefined) {
      throw this.#ended;
    }
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, "exit");
      this.#child.kill("SIGKILL");
      await gone;
    }
    this.record.killed(systemClock.monotonicMs());
  }

  /** Kills one of its threads. */
  async killWorker(thread: number): Promise<void> {
    await this.#order({ kind: "kill worker", thread }, "worker killed");
  }

  /** Sets its time of day. */
  async step(offsetMs: number): Promise<void> {
    const fromMs = systemClock.monotonicMs();
    await this.#order({ kind: "step", offsetMs }, "stepped");
    this.record.stepped(fromMs, systemClock.monotonicMs(), offsetMs);
  }

  /** Stops it as an operator would. Rejects if it takes too long. */
  async stop(): Promise<void> {
    const gone = once(this.#child, "exit");
    this.#child.send({ kind: "stop" });
    await this.#within(() => (this.#isClosed ? "does not end, though its app is closed," : "does not stop"), gone);
    this.record.ended(systemClock.monotonicMs());
  }

  async #order(order: NodeOrder, done: NodeNews["kind"]): Promise<void> {
    const responded = new Promise<void>((resolve) => {
      const hear = (news: NodeNews): void => {
        if (news.kind === done) {
          this.#child.off("message", hear);
          resolve();
        }
      };
      this.#child.on("message", hear);
      this.#child.once("exit", () => resolve());
    });
    if (this.#child.connected) {
      this.#child.send(order);
      await this.#within(() => `does not do as it is told (${order.kind})`, responded);
    }
  }

  async #within(undone: () => string, work: Promise<unknown>): Promise<void> {
    await within(ORDER_MS_MAX, () => `${this.name} ${undone()}`, work);
  }
}
