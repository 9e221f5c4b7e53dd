// How a server receives changes: on a separate database connection. A change and its notice are committed together or not at all. Four
// times a second the server sends a heartbeat on this connection, with the last change that it applied. It also sends one right after
// applying a change, because whoever made the change waits for that. The response names the last change of the database: the server reads
// from the log what it has missed, and notices if the database has lost what was applied. A connection can break without a signal, so one
// that gives no response for a second is replaced.
import pg from "pg";
import type { OnChange } from "../changes.ts";
import { CHANGES_CHANNEL, type ChangePosition, changesAfter, type LoggedChange, parseChange } from "../repositories/change-log.ts";
import { beat, forgetGoneNodes, leaveNodes } from "../repositories/node-registry.ts";
import { AppliedChanges } from "./applied-changes.ts";
import { Freshness, type FreshnessOptions } from "./freshness.ts";
import { leave } from "./postgres-pool.ts";

const HEARTBEAT_MS = 250;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;
const CLOSING_MS = 1000;

interface PostgresChangeListenerOptions extends FreshnessOptions {
  readonly connection: pg.ClientConfig;
  /** This process's name among the nodes. */
  readonly node: string;
  readonly onChange: OnChange;
  /** The database has lost changes; `number` is that of its last one. */
  readonly onForgotten: (number: number) => void;
}

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
  // Whether something was applied since the current heartbeat was sent.
  #needsHeartbeat = false;

  constructor(options: PostgresChangeListenerOptions) {
    this.#options = options;
    this.#applied = new AppliedChanges(options.onChange);
    this.#freshness = new Freshness(options);
  }

  /** Connects, and listens from the moment this resolves. Rejects as the connection does. */
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
    // Immediately, because notices that arrived since the log was read were not handled.
    void this.#heartbeat(client);
  }

  made(change: LoggedChange): void {
    if (this.#applied.isNext(change)) {
      this.#receive(change);
    } else if (!this.#applied.isLast(change)) {
      // Either others made changes before it, whose notices are on their way, or it was made in a different database than the one that this
      // listens to.
      this.#options.onChange(change.accountId);
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
    // Otherwise one before it was missed, and the next heartbeat finds that out.
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

  // Says that this node is alive, and catches up with the changes that it has missed.
  async #sendHeartbeat(client: pg.Client): Promise<void> {
    const { clock, node, status, staleAfterMs } = this.#options;
    const sentAtMs = clock.monotonicMs();
    const applied = this.#applied.last;
    const { lastChange, aliveNodes } = await beat(client, { id: node, applied, aliveMs: staleAfterMs });
    status.setAliveNodes(aliveNodes);
    if (applied === undefined) {
      this.#applied.startAt(lastChange);
      this.#needsHeartbeat = true;
    } else if (lastChange.number < applied.number || (lastChange.number === applied.number && lastChange.id !== applied.id)) {
      this.#forgotten(lastChange);
      this.#needsHeartbeat = true;
    } else if (this.#applied.isNew(lastChange)) {
      await this.#catchUp(client);
      this.#needsHeartbeat = true;
    }
    this.#freshness.answered(sentAtMs);
  }

  async #catchUp(client: pg.Client): Promise<void> {
    const changes = await changesAfter(client, this.#applied.last?.number ?? 0);
    const next = changes.find((change) => this.#applied.isNew(change));
    if (next !== undefined && this.#applied.isForked(next)) {
      const { number, id } = changes.at(-1) ?? next;
      this.#forgotten({ number, id });
    } else {
      this.#applied.apply(changes);
    }
  }

  #forgotten(last: ChangePosition): void {
    this.#applied.restartAt(last);
    this.#options.onForgotten(last.number);
    this.#options.log.warn(
      { change_number: last.number },
      "The database has lost changes of accounts and keys that were applied; all keys are looked up again",
    );
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
