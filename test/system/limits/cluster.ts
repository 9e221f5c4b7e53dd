// A cluster of several nodes on one PostgreSQL and one Redis, and the faults that a run injects.
import { systemClock } from "../../../src/runtime/clock.ts";
import type { Variables } from "../../fixtures/program.ts";
import { passed } from "./callers.ts";
import type { CutTime } from "./cutting-proxy.ts";
import type { Fault } from "./faults.ts";
import type { Event } from "./history.ts";
import { NodeEnded, NodeProcess } from "./node-process.ts";
import type { Stores } from "./stores.ts";
import { within } from "./within.ts";

/** The options of a cluster. */
export interface ClusterOptions {
  /** What the nodes share; undefined if there is only one node. */
  readonly stores: Stores | undefined;
  readonly variables: Variables;
  /** How far the nodes' wall clocks are off, in milliseconds. */
  readonly offsetMs: number;
}

const HOUR_MS = 3_600_000;
const LEASE_WAIT_MS = 1000;
const CUTS = 20;
const CUT_EVERY_MS = 15;
// Longer than the database is ever down. On a busy machine it takes a while to come back.
const RESTART_MS = 1500;
const RESTARTS_MAX = 20;
// Longer than a busy machine takes to restart a server.
const HEAL_MS_MAX = 240_000;

/** The nodes, and what happens to them. */
export class Cluster {
  readonly #options: ClusterOptions;
  #offsetMs: number;
  readonly #events: Event[] = [];
  readonly #all: NodeProcess[] = [];
  #started = 0;
  #serving: readonly NodeProcess[] = [];
  // A store has only one fault at a time.
  #database = Promise.resolve();
  #redis = Promise.resolve();

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#offsetMs = options.offsetMs;
  }

  /** The nodes that serve. */
  get nodes(): readonly NodeProcess[] {
    return this.#serving;
  }

  /** Everything that happened. */
  get events(): readonly Event[] {
    return [...this.#all.flatMap(({ record }) => record.events), ...this.#events];
  }

  /** What the nodes printed last. */
  get lastOutput(): string {
    return this.#all.map(({ name, lastOutput }) => `\n${name} printed last:\n${lastOutput}`).join("");
  }

  /** Starts a node. One that cannot start because the database is down is started again, as a supervisor would. */
  async join(workers: number, restartsLeft = RESTARTS_MAX): Promise<void> {
    const node = await this.#start(workers).catch((error: unknown) => {
      if (!(error instanceof NodeEnded) || restartsLeft === 0) {
        throw error;
      }
    });
    if (node === undefined) {
      await passed(RESTART_MS);
      return this.join(workers, restartsLeft - 1);
    }
    this.#all.push(node);
    this.#serving = [...this.#serving, node];
  }

  /** Injects one of a plan's faults, and resolves when it is over. Returns whether it could be injected. */
  async inflict({ kind, durationMs, choice }: Fault): Promise<boolean> {
    const { stores } = this.#options;
    const node = this.#serving[Math.floor(choice * this.#serving.length)];
    switch (kind) {
      case "node killed":
        return this.#kill(node);
      case "worker killed":
        return this.#killWorker(
          this.#serving.find(({ workers }) => workers > 1),
          choice,
        );
      case "node joins":
        await this.join(1);
        return true;
      case "database stopped":
        return this.#failDatabase(
          () => stores?.postgres.stop(),
          () => stores?.postgres.start(),
          durationMs,
        );
      case "database paused":
        return this.#failDatabase(
          () => stores?.postgres.pause(),
          () => stores?.postgres.resume(),
          durationMs,
        );
      case "lease cut":
        return this.#cutLease(choice < 0.5 ? "before the commit" : "after the commit");
      case "Redis stopped":
        return this.#failRedis(
          () => stores?.redis.stop(),
          () => stores?.redis.start(),
          durationMs,
        );
      case "Redis paused":
        return this.#failRedis(
          () => stores?.redis.pause(),
          () => stores?.redis.resume(),
          durationMs,
        );
      case "calls cut":
        return cutCalls(node);
      case "clock stepped":
        await node?.step(this.#offsetMs + Math.round((2 * choice - 1) * 10 * HOUR_MS));
        return node !== undefined;
      case "month turned":
        // Nothing to do: time passes by itself.
        return true;
    }
  }

  /** Sets all clocks, including those of later nodes; by default to their last setting. */
  async setClocks(offsetMs = this.#offsetMs): Promise<void> {
    this.#offsetMs = Math.round(offsetMs);
    await Promise.all(this.#serving.map((node) => node.step(this.#offsetMs)));
  }

  /** Lets all nodes stop. */
  async stop(): Promise<void> {
    await Promise.all(this.#serving.map((node) => node.stop()));
    // Only now, because a node that has not stopped must still be abandoned.
    this.#serving = [];
    for (const { client } of this.#all) {
      client.cut();
    }
  }

  /** Kills all nodes that still serve, after a failed run. */
  async abandon(): Promise<void> {
    const nodes = this.#serving;
    this.#serving = [];
    await Promise.all(nodes.map((node) => node.kill()));
  }

  #start(workers: number): Promise<NodeProcess> {
    const name = `node ${++this.#started}`;
    return NodeProcess.start({ name, workers, offsetMs: this.#offsetMs, variables: this.#options.variables });
  }

  // Another node replaces it, under another name.
  async #kill(node: NodeProcess | undefined): Promise<boolean> {
    if (node === undefined) {
      return false;
    }
    this.#serving = this.#serving.filter((one) => one !== node);
    await node.kill();
    await this.join(node.workers);
    return true;
  }

  // The other workers of its node continue.
  async #killWorker(node: NodeProcess | undefined, choice: number): Promise<boolean> {
    await node?.killWorker(Math.floor(choice * node.workers));
    // It may have been killed in the meantime.
    if (node === undefined || !this.#serving.includes(node)) {
      return false;
    }
    node.requireAlive();
    return true;
  }

  async #failDatabase(fail: () => unknown, heal: () => unknown, durationMs: number): Promise<boolean> {
    this.#database = this.#database.then(async () => {
      const fromMs = systemClock.monotonicMs();
      await fail();
      await passed(durationMs);
      await within(HEAL_MS_MAX, () => "The database is not there again", Promise.try(heal));
      this.#events.push({ kind: "database failed", fromMs, untilMs: systemClock.monotonicMs() });
    });
    await this.#database;
    return true;
  }

  async #cutLease(moment: CutTime): Promise<boolean> {
    const fromMs = systemClock.monotonicMs();
    const wasCut = (await this.#options.stores?.proxy.cutLease(moment, LEASE_WAIT_MS)) === true;
    if (wasCut) {
      this.#events.push({ kind: "database failed", fromMs, untilMs: systemClock.monotonicMs() });
    }
    return wasCut;
  }

  async #failRedis(fail: () => unknown, heal: () => unknown, durationMs: number): Promise<boolean> {
    this.#redis = this.#redis.then(async () => {
      await fail();
      await passed(durationMs);
      await within(HEAL_MS_MAX, () => "Redis is not there again", Promise.try(heal));
    });
    await this.#redis;
    return true;
  }
}

// Among this many cuts, some hit a call in progress.
async function cutCalls(node: NodeProcess | undefined): Promise<boolean> {
  for (let cut = 0; cut < CUTS; cut++) {
    node?.client.cut();
    await passed(CUT_EVERY_MS);
  }
  return node !== undefined;
}
