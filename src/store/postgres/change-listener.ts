// How a server receives changes: on a separate database connection. Four times a second the server sends a heartbeat on this connection.
// The response names the last batch of changes in the database: the server reads from the log what it has missed, and notices if the
// database has lost changes that were applied. Once a second, and right after it has applied a batch, it also writes that it is alive and
// what it has applied, because the process that made the changes waits for this. A connection can break without a signal, so one that gives
// no response for a second is replaced.
//
// About once a second one of the servers counts all servers, and announces the changes of processes that stopped before they could announce
// them.
import type pg from "pg";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { OnChange } from "../changes.ts";
import type { NodeStatus } from "../node-status.ts";
import {
  announceChanges,
  CHANGES_CHANNEL,
  type ChangeBatch,
  type ChangePosition,
  changesAfter,
  parseNotice,
  type RunStatement,
} from "../repositories/change-log.ts";
import { countNodes, countNodesIfDue, leaveNodes, registerNode, sendHeartbeat } from "../repositories/node-registry.ts";
import { StatementQueue, unrefConnection } from "./postgres-pool.ts";

const HEARTBEAT_MS = 250;
// How often the server's row is renewed. So that the row does not expire in between, it is valid for this much longer than the caches.
const RENEWAL_INTERVAL_MS = 1000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;
const CLOSING_MS = 1000;

interface PostgresChangeListenerOptions extends FreshnessOptions {
  readonly connection: pg.ClientConfig;
  /** This process's name among the nodes. */
  readonly node: string;
  readonly onChange: OnChange;
  /** Called when the database has lost changes; `number` is the number of its last batch. */
  readonly onForgotten: (number: number) => void;
  /** How long a connection is used. */
  readonly ageMs: number;
  /** Runs a statement on a connection of the pool, so that a server which nobody calls also knows whether it could lease calls. */
  readonly probePool: () => Promise<unknown>;
}

export class PostgresChangeListener {
  readonly #options: PostgresChangeListenerOptions;
  readonly #applied: AppliedChanges;
  readonly #freshness: Freshness;
  #connection: StatementQueue | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isClosed = false;
  // The next heartbeat or the next attempt.
  #cancelNext = (): void => {};
  #isHeartbeatPending = false;
  // The last batch that the server's row says was applied, and when the row must be renewed.
  #reported: ChangePosition | undefined;
  #renewAtMs = 0;
  // Whether something was applied since the current heartbeat was sent.
  #needsHeartbeat = false;
  #replaceAtMs = 0;
  #isProbing = false;

  constructor(options: PostgresChangeListenerOptions) {
    this.#options = options;
    this.#applied = new AppliedChanges(options.onChange);
    this.#freshness = new Freshness(options);
  }

  /** Connects, and listens from the moment this resolves. Rejects with the connection's error. */
  async open(): Promise<void> {
    const connection = new StatementQueue(this.#options.connection);
    const { client } = connection;
    client.on("error", (error) => this.#lost(connection, error));
    client.on("end", () => this.#lost(connection, undefined));
    client.on("notification", ({ payload }) => {
      const notice = parseNotice(payload);
      if (notice !== undefined && this.#connection === connection) {
        this.#receive(notice);
      }
    });
    try {
      await client.connect();
      await connection.runScript(`LISTEN ${CHANGES_CHANNEL}; SET default_transaction_isolation = 'read committed'`);
      await this.#register(connection);
      // A heartbeat need not reach the disk.
      await connection.runScript("SET synchronous_commit = off");
      await this.#sendHeartbeat(connection);
    } catch (error) {
      abandonConnection(connection);
      throw error;
    }
    if (this.#isClosed) {
      abandonConnection(connection);
      return;
    }
    this.#connection = connection;
    this.#replaceAtMs = this.#options.clock.monotonicMs() + this.#options.ageMs;
    this.#retryMs = FIRST_RETRY_MS;
    // Immediately, because notices that arrived since the log was read were not handled.
    void this.#heartbeat(connection);
  }

  /** Runs a statement on the connection that listens; undefined while there is none. */
  get run(): RunStatement | undefined {
    return this.#connection?.run;
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelNext();
    this.#freshness.close();
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = this.#options.clock.after(CLOSING_MS, resolve);
      const leaving = leaveNodes(connection, this.#options.node).then(() => connection.client.end());
      await Promise.race([leaving.catch(() => {}), late]);
      cancel();
      unrefConnection(connection.client);
    }
  }

  #receive(notice: ChangeBatch | "unlisted"): void {
    if (notice !== "unlisted") {
      if (!this.#applied.isNew(notice)) {
        return;
      }
      // Otherwise an earlier batch was missed, which the next heartbeat will notice.
      if (this.#applied.isNext(notice)) {
        this.#applied.apply([notice]);
      }
    }
    this.#needsHeartbeat = true;
    if (this.#connection !== undefined && !this.#isHeartbeatPending) {
      this.#cancelNext();
      void this.#heartbeat(this.#connection);
    }
  }

  async #heartbeat(connection: StatementQueue): Promise<void> {
    this.#isHeartbeatPending = true;
    try {
      do {
        this.#needsHeartbeat = false;
        await this.#sendHeartbeat(connection);
      } while (this.#needsHeartbeat && this.#connection === connection);
    } catch (error) {
      this.#lost(connection, error);
      return;
    }
    if (this.#connection === connection) {
      this.#isHeartbeatPending = false;
      if (this.#options.clock.monotonicMs() >= this.#replaceAtMs) {
        // What is missed meanwhile, the first heartbeat of the next one will notice.
        this.#connection = undefined;
        abandonConnection(connection);
        this.open().catch(() => this.#reopenUnlessClosed());
        return;
      }
      this.#cancelNext = this.#options.clock.after(HEARTBEAT_MS, () => void this.#heartbeat(connection));
    }
  }

  // Says that this node is alive, and catches up with the changes that it has missed.
  async #sendHeartbeat(connection: StatementQueue): Promise<void> {
    const { clock, node, status, staleAfterMs } = this.#options;
    const sentAtMs = clock.monotonicMs();
    const applied = this.#applied.last;
    const { run } = connection;
    const isDue = applied?.id !== this.#reported?.id || applied?.number !== this.#reported?.number || sentAtMs >= this.#renewAtMs;
    const report = isDue ? { id: node, applied, aliveMs: staleAfterMs + RENEWAL_INTERVAL_MS } : undefined;
    const { isRegistered, lastChange, aliveNodes, isCountDue } = await sendHeartbeat(run, report);
    if (isDue) {
      this.#reported = applied;
      this.#renewAtMs = sentAtMs + RENEWAL_INTERVAL_MS;
      this.#probe();
    }
    if (!isRegistered) {
      await this.#register(connection);
      this.#needsHeartbeat = true;
      return;
    }
    status.setAliveNodes(aliveNodes);
    if (applied === undefined) {
      this.#applied.startAt(lastChange);
      this.#needsHeartbeat = true;
    } else if (lastChange.number < applied.number || (lastChange.number === applied.number && lastChange.id !== applied.id)) {
      this.#forgotten(lastChange);
      this.#needsHeartbeat = true;
    } else if (this.#applied.isNew(lastChange)) {
      await this.#catchUp(run);
      this.#needsHeartbeat = true;
    }
    this.#freshness.responded(sentAtMs);
    if (isCountDue && (await countNodesIfDue(run))) {
      await announceChanges(run, []);
    }
  }

  #probe(): void {
    if (!this.#isProbing) {
      this.#isProbing = true;
      const done = (): void => {
        this.#isProbing = false;
      };
      this.#options.probePool().then(done, done);
    }
  }

  async #register(connection: StatementQueue): Promise<void> {
    const { node, staleAfterMs } = this.#options;
    await registerNode(connection.run, node, staleAfterMs + RENEWAL_INTERVAL_MS);
    this.#reported = undefined;
    this.#renewAtMs = 0;
    await countNodes(connection);
  }

  async #catchUp(run: RunStatement): Promise<void> {
    const batches = await changesAfter(run, this.#applied.last?.number ?? 0);
    const next = batches.find((batch) => this.#applied.isNew(batch));
    if (next !== undefined && this.#applied.isForked(next)) {
      const { number, id } = batches.at(-1) ?? next;
      this.#forgotten({ number, id });
    } else {
      this.#applied.apply(batches);
    }
  }

  #forgotten(last: ChangePosition): void {
    this.#applied.restartAt(last);
    this.#options.onForgotten(last.number);
    this.#options.log.warn(
      { change_number: last.number },
      "The database has lost changes to accounts and keys that were applied; all keys are looked up again",
    );
  }

  #lost(connection: StatementQueue, error: unknown): void {
    if (this.#connection !== connection) {
      return;
    }
    this.#connection = undefined;
    this.#isHeartbeatPending = false;
    this.#cancelNext();
    abandonConnection(connection);
    this.#options.log.warn({ err: error }, "Changes to accounts and keys cannot be received; trying again");
    this.#reopenLater();
  }

  #reopenLater(): void {
    this.#cancelNext = this.#options.clock.after(this.#retryMs, () => void this.#reopen());
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
  }

  #reopenUnlessClosed(): void {
    if (!this.#isClosed) {
      this.#reopenLater();
    }
  }

  async #reopen(): Promise<void> {
    try {
      await this.open();
    } catch {
      this.#reopenUnlessClosed();
      return;
    }
    if (this.#connection !== undefined) {
      this.#options.log.info("Changes to accounts and keys are received again");
    }
  }
}

function abandonConnection({ client }: StatementQueue): void {
  unrefConnection(client);
  client.end().catch(() => {});
}

interface FreshnessOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Read by the threads that admit calls. */
  readonly status: NodeStatus;
  /** How long the caches may be used without a response from the database. */
  readonly staleAfterMs: number;
}

/** The time until which the caches may be used. */
export class Freshness {
  readonly #options: FreshnessOptions;
  #cancelWarning = (): void => {};
  #isClosed = false;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** Called when the database has responded to a query that was sent at this time, on the monotonic clock. */
  responded(sentAtMs: number): void {
    const { clock, log, status, staleAfterMs } = this.#options;
    this.#cancelWarning();
    if (this.#isClosed) {
      return;
    }
    const untilMs = sentAtMs + staleAfterMs;
    status.setFreshUntil(untilMs);
    this.#cancelWarning = clock.after(Math.max(0, untilMs - clock.monotonicMs()), () => {
      log.error({ stale_after_ms: staleAfterMs }, "The database has not responded for too long; calls are refused until it does");
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelWarning();
  }
}

/** The changes that were applied. */
export class AppliedChanges {
  readonly #onChange: OnChange;
  #last: ChangePosition | undefined;

  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  /** The last batch that was applied; undefined before the first is known. */
  get last(): ChangePosition | undefined {
    return this.#last;
  }

  /** Treats everything up to this batch as applied, because nothing is cached yet. */
  startAt(last: ChangePosition): void {
    this.#last = last;
  }

  /**
   * Starts again from this batch, because the database does not know what was applied: it is a different one, or an older copy. Any account
   * may have changed.
   */
  restartAt(last: ChangePosition): void {
    this.#last = last;
    this.#onChange();
  }

  /** Whether a batch has a later number than the applied batches, even if it is from a different database. */
  isNew({ number }: ChangePosition): boolean {
    return this.#last !== undefined && number > this.#last.number;
  }

  /** Whether a batch is the next one, so that none before it was missed. */
  isNext({ number, previousId }: ChangeBatch): boolean {
    return this.#last !== undefined && number === this.#last.number + 1 && previousId === this.#last.id;
  }

  /** Whether a batch has the next number but does not follow the batch that was applied, which is then no longer in the database. */
  isForked({ number, previousId }: ChangeBatch): boolean {
    return this.#last !== undefined && number === this.#last.number + 1 && previousId !== this.#last.id;
  }

  /** Applies batches, given in ascending order. Skips the ones that were applied before. */
  apply(batches: readonly ChangeBatch[]): void {
    for (const batch of batches) {
      if (this.isNew(batch)) {
        if (this.isNext(batch)) {
          for (const accountId of batch.accountIds) {
            this.#onChange(accountId);
          }
        } else {
          // Any account may have changed: the log does not reach back far enough, or does not contain what was applied.
          this.#onChange();
        }
        this.#last = { number: batch.number, id: batch.id };
      }
    }
  }
}
