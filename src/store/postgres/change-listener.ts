// How a server receives changes: on a database connection of its own. A change notifies in its own transaction, so the change and its notice
// are committed together or not at all. Four times a second the server sends a heartbeat on this connection: that it is there, and which change
// it applied last. It sends one at once when it has applied another change, because the maker of the change waits for that. The answer is the number
// of the last change, so a missed one is noticed and read from the log. A connection can break without a signal: one that gives no answer
// for a second is replaced.
import pg from "pg";
import type { OnChange } from "../changes.ts";
import { CHANGES_CHANNEL, changesAfter, type LoggedChange, parseChange } from "../repositories/change-log.ts";
import { beat, forgetGoneNodes, leaveNodes } from "../repositories/node-registry.ts";
import { AppliedChanges } from "./applied-changes.ts";
import { Freshness, type FreshnessOptions } from "./freshness.ts";
import { leave } from "./postgres-pool.ts";

const HEARTBEAT_MS = 250;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;
const CLOSING_MS = 1000;

/** What the listener works with. */
export interface PostgresChangeListenerOptions extends FreshnessOptions {
  readonly connection: pg.ClientConfig;
  /** This process's name among the nodes. */
  readonly node: string;
  readonly onChange: OnChange;
}

/** Listens for changes. */
export class PostgresChangeListener {
  readonly #options: PostgresChangeListenerOptions;
  readonly #applied: AppliedChanges;
  readonly #freshness: Freshness;
  #client: pg.Client | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isClosed = false;
  // The next heartbeat or the next attempt.
  #cancelNext = (): void => {};
  #isBeating = false;
  // Whether something was applied since the heartbeat under way was sent.
  #needsHeartbeat = false;

  constructor(options: PostgresChangeListenerOptions) {
    this.#options = options;
    this.#applied = new AppliedChanges(options.onChange);
    this.#freshness = new Freshness(options);
  }

  /** Connects. It listens from the moment this resolves. Rejects as the connection does. */
  async open(): Promise<void> {
    const { connection } = this.#options;
    const client = new pg.Client(connection);
    client.on("error", (error) => this.#lost(client, error));
    client.on("end", () => this.#lost(client, undefined));
    client.on("notification", ({ payload }) => {
      const change = parseChange(payload);
      if (change !== undefined && this.#client === client) {
        this.#receive(change);
      }
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANGES_CHANNEL}`);
      // A heartbeat need not reach the disk.
      await client.query("SET synchronous_commit = off");
      await forgetGoneNodes(client);
      await this.#sendHeartbeat(client);
    } catch (error) {
      abandon(client);
      throw error;
    }
    if (this.#isClosed) {
      abandon(client);
      return;
    }
    this.#client = client;
    this.#retryMs = FIRST_RETRY_MS;
    // At once: notices that came since the log was read were not handled.
    void this.#heartbeat(client);
  }

  /** This process has made a change. */
  made(change: LoggedChange): void {
    if (this.#applied.misses(change)) {
      // Others made changes before it, whose notices are on their way.
      this.#options.onChange(change.accountId);
    } else {
      this.#receive(change);
    }
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelNext();
    this.#freshness.close();
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = this.#options.clock.after(CLOSING_MS, resolve);
      const leaving = leaveNodes(client, this.#options.node).then(() => client.end());
      await Promise.race([leaving.catch(() => {}), late]);
      cancel();
      leave(client);
    }
  }

  #receive(change: LoggedChange): void {
    if (!this.#applied.isNew(change)) {
      return;
    }
    // Otherwise one before it was missed, which the next heartbeat finds out.
    if (this.#applied.isNext(change)) {
      this.#applied.apply([change]);
    }
    this.#needsHeartbeat = true;
    if (this.#client !== undefined && !this.#isBeating) {
      this.#cancelNext();
      void this.#heartbeat(this.#client);
    }
  }

  async #heartbeat(client: pg.Client): Promise<void> {
    this.#isBeating = true;
    try {
      do {
        this.#needsHeartbeat = false;
        await this.#sendHeartbeat(client);
      } while (this.#needsHeartbeat && this.#client === client);
    } catch (error) {
      this.#lost(client, error);
      return;
    }
    if (this.#client === client) {
      this.#isBeating = false;
      this.#cancelNext = this.#options.clock.after(HEARTBEAT_MS, () => void this.#heartbeat(client));
    }
  }

  // Says that this node is there, and catches up with the changes that it has missed.
  async #sendHeartbeat(client: pg.Client): Promise<void> {
    const { clock, node, status, staleAfterMs } = this.#options;
    const sentAtMs = clock.monotonicMs();
    const applied = this.#applied.number;
    const { changeNumber, aliveNodes } = await beat(client, { id: node, changeNumber: applied ?? 0, aliveMs: staleAfterMs });
    status.setAliveNodes(aliveNodes);
    if (applied === undefined) {
      this.#applied.startAt(changeNumber);
      this.#needsHeartbeat = true;
    } else if (changeNumber < applied) {
      this.#applied.restartAt(changeNumber);
    } else if (changeNumber > (this.#applied.number ?? 0)) {
      this.#applied.apply(await changesAfter(client, this.#applied.number ?? 0));
      this.#needsHeartbeat = true;
    }
    this.#freshness.answered(sentAtMs);
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client) {
      return;
    }
    this.#client = undefined;
    this.#isBeating = false;
    this.#cancelNext();
    abandon(client);
    this.#options.log.warn({ err: error }, "Changes of accounts and keys cannot be received; trying again");
    this.#reopenLater();
  }

  #reopenLater(): void {
    this.#cancelNext = this.#options.clock.after(this.#retryMs, () => void this.#reopen());
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
  }

  async #reopen(): Promise<void> {
    try {
      await this.open();
    } catch {
      if (!this.#isClosed) {
        this.#reopenLater();
      }
      return;
    }
    if (this.#client !== undefined) {
      this.#options.log.info("Changes of accounts and keys are received again");
    }
  }
}

function abandon(client: pg.Client): void {
  leave(client);
  client.end().catch(() => {});
}
