// How a server hears of changes: a connection of its own that listens. Each change notifies in its own transaction, so a change and
// its announcement are committed together or not at all. On the same connection the server says four times a second that it is there and
// which change it has applied last; at once when it has applied another, for whoever made it waits for that. The answer is the number of
// the last change, so what was not heard is found out, and read from the log. A connection can die without a word: one that gives no answer
// for a second is made again.
//
// A server that has heard nothing for a while does not know which keys are still good. Every answer says until when what is remembered may
// be used; whoever admits calls looks at that.
import pg from "pg";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { OnChange } from "../changes.ts";
import type { NodeStatus } from "../node-status.ts";
import { CHANGES_CHANNEL, changesAfter, type LoggedChange, parseChange } from "../repositories/change-log.ts";
import { beat, forgetGoneNodes, leaveNodes } from "../repositories/node-registry.ts";
import { leave } from "./postgres-pool.ts";

const HEARTBEAT_MS = 250;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;
const CLOSING_MS = 1000;

/** What the ears are made from. */
export interface PostgresChangeListenerOptions {
  readonly connection: pg.ClientConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** This process's name among the nodes. */
  readonly node: string;
  readonly status: NodeStatus;
  /** How long what is remembered may be used without hearing of the database. */
  readonly staleAfterMs: number;
  readonly onChange: OnChange;
}

/** Listens for changes. */
export class PostgresChangeListener {
  readonly #options: PostgresChangeListenerOptions;
  #client: pg.Client | undefined;
  #retryMs = FIRST_RETRY_MS;
  #closed = false;
  // The number of the last change that was applied; undefined before the first is known.
  #applied: number | undefined;
  // The next heartbeat or the next attempt.
  #cancelNext = (): void => {};
  #cancelStale = (): void => {};
  #isBeating = false;
  // Whether something was applied since the heartbeat under way began.
  #hasNews = false;

  constructor(options: PostgresChangeListenerOptions) {
    this.#options = options;
  }

  /** Listens from when it resolves on. Rejects as the connection does. */
  async open(): Promise<void> {
    const { connection } = this.#options;
    const client = new pg.Client(connection);
    client.on("error", (error) => this.#lost(client, error));
    client.on("end", () => this.#lost(client, undefined));
    client.on("notification", ({ payload }) => {
      const change = parseChange(payload);
      if (change !== undefined && this.#client === client) {
        this.#hear(change);
      }
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANGES_CHANNEL}`);
      // A word of life needs no disk.
      await client.query("SET synchronous_commit = off");
      await forgetGoneNodes(client);
      await this.#tell(client);
    } catch (error) {
      letGo(client);
      throw error;
    }
    if (this.#closed) {
      letGo(client);
      return;
    }
    this.#client = client;
    this.#retryMs = FIRST_RETRY_MS;
    // At once: what was told since the log was read went by unheard.
    void this.#beat(client);
  }

  /** This process has made a change. */
  made(change: LoggedChange): void {
    if (change.number > (this.#applied ?? 0) + 1) {
      // Others made changes before it, which are on their way.
      this.#options.onChange(change.accountId);
    } else {
      this.#hear(change);
    }
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelNext();
    this.#cancelStale();
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

  #hear(change: LoggedChange): void {
    if (this.#applied === undefined || change.number <= this.#applied) {
      return;
    }
    if (change.number === this.#applied + 1) {
      this.#apply([change]);
    }
    // Else one before it was not heard, which the next answer tells.
    this.#hasNews = true;
    if (this.#client !== undefined && !this.#isBeating) {
      this.#cancelNext();
      void this.#beat(this.#client);
    }
  }

  #apply(changes: readonly LoggedChange[]): void {
    for (const { number, accountId } of changes) {
      const applied = this.#applied ?? 0;
      if (number > applied) {
        // Where the log does not reach back far enough, any account may have changed.
        this.#options.onChange(number === applied + 1 ? accountId : undefined);
        this.#applied = number;
      }
    }
  }

  async #beat(client: pg.Client): Promise<void> {
    this.#isBeating = true;
    try {
      do {
        this.#hasNews = false;
        await this.#tell(client);
      } while (this.#hasNews && this.#client === client);
    } catch (error) {
      this.#lost(client, error);
      return;
    }
    if (this.#client === client) {
      this.#isBeating = false;
      this.#cancelNext = this.#options.clock.after(HEARTBEAT_MS, () => void this.#beat(client));
    }
  }

  // Says that this node is there, and makes up for what it has not heard.
  async #tell(client: pg.Client): Promise<void> {
    const { clock, node, status, staleAfterMs, onChange } = this.#options;
    const sentAtMs = clock.monotonicMs();
    const told = this.#applied;
    const { changeNumber, aliveNodes } = await beat(client, { id: node, changeNumber: told ?? 0, aliveMs: staleAfterMs });
    status.setAliveNodes(aliveNodes);
    if (told === undefined) {
      // Nothing is remembered yet.
      this.#applied = changeNumber;
      this.#hasNews = true;
    } else if (changeNumber < told) {
      // The database is another one, or an older copy.
      this.#applied = changeNumber;
      onChange();
    } else if (changeNumber > (this.#applied ?? 0)) {
      this.#apply(await changesAfter(client, this.#applied ?? 0));
      this.#hasNews = true;
    }
    this.#isFresh(sentAtMs + staleAfterMs);
  }

  #isFresh(untilMs: number): void {
    const { clock, log, status, staleAfterMs } = this.#options;
    this.#cancelStale();
    if (this.#closed) {
      return;
    }
    status.setFreshUntil(untilMs);
    this.#cancelStale = clock.after(Math.max(0, untilMs - clock.monotonicMs()), () => {
      log.error(
        { stale_after_ms: staleAfterMs },
        "Nothing was heard of the database for too long; calls are refused until it is back",
      );
    });
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client) {
      return;
    }
    this.#client = undefined;
    this.#isBeating = false;
    this.#cancelNext();
    letGo(client);
    this.#options.log.warn({ err: error }, "Changes of accounts and keys cannot be heard; trying again");
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
      if (!this.#closed) {
        this.#reopenLater();
      }
      return;
    }
    if (this.#client !== undefined) {
      this.#options.log.info("Changes of accounts and keys are heard again");
    }
  }
}

function letGo(client: pg.Client): void {
  leave(client);
  client.end().catch(() => {});
}
