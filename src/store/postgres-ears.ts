// How a server hears of changes: a connection of its own that listens. Each change notifies in its own transaction, so a change and
// its announcement are committed together or not at all. A connection can die without a word, so it is asked for a sign of life twice a
// second, and made again when there is none; whatever was missed meanwhile is made up for by one call back.
//
// While nothing can be heard, what is remembered may be stale. It is trusted for a minute at most: then, and every minute until
// the connection is back, there is a call back, and what is remembered has to be asked for again. In that minute a server that is cut
// off from the database goes on with what it has, which is what leases are for.
import pg from "pg";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { beat, forgetGoneNodes, leaveNodes } from "./node-registry.ts";
import type { NodeStatus } from "./node-status.ts";
import { leave } from "./postgres-pool.ts";

/** The channel that changes are told on. The payload names who told, who need not be told. */
export const changesChannel = "quintet_changes";

const HEARTBEAT_MS = 250;
// How long a node that says nothing more counts as one that may be serving.
const ALIVE_MS = 10_000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;
const DEAF_TRUST_MS = 60_000;
const CLOSING_MS = 1000;

/** What the ears are made from. */
export interface PostgresEarsOptions {
  readonly connection: pg.ClientConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** This process's name among the nodes. */
  readonly node: string;
  readonly status: NodeStatus;
  /** Whether a payload is that of this process's own announcements. */
  readonly isOwn: (payload: string | undefined) => boolean;
  /** Something has changed, or may have. */
  readonly onForeignChange: () => void;
}

/** Listens for changes. */
export class PostgresEars {
  readonly #options: PostgresEarsOptions;
  #client: pg.Client | undefined;
  #retryMs = FIRST_RETRY_MS;
  #closed = false;
  // The next heartbeat or the next attempt.
  #cancelNext = (): void => {};
  #cancelDeafness: (() => void) | undefined;

  constructor(options: PostgresEarsOptions) {
    this.#options = options;
  }

  /** Listens from when it resolves on. Rejects as the connection does. */
  async open(): Promise<void> {
    const { connection, isOwn, onForeignChange } = this.#options;
    const client = new pg.Client(connection);
    client.on("error", (error) => this.#lost(client, error));
    client.on("end", () => this.#lost(client, undefined));
    client.on("notification", ({ payload }) => {
      if (!isOwn(payload)) {
        onForeignChange();
      }
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${changesChannel}`);
      // A word of life needs no disk.
      await client.query("SET synchronous_commit = off");
      await forgetGoneNodes(client);
      await this.#register(client);
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
    this.#cancelNext = this.#options.clock.after(HEARTBEAT_MS, () => this.#beat(client));
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelNext();
    this.#cancelDeafness?.();
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

  #beat(client: pg.Client): void {
    this.#register(client).then(
      () => {
        if (this.#client === client) {
          this.#cancelNext = this.#options.clock.after(HEARTBEAT_MS, () => this.#beat(client));
        }
      },
      (error: unknown) => this.#lost(client, error),
    );
  }

  async #register(client: pg.Client): Promise<void> {
    const { node, status } = this.#options;
    status.setAliveNodes((await beat(client, { id: node, changeNumber: 0, aliveMs: ALIVE_MS })).aliveNodes);
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client) {
      return;
    }
    this.#client = undefined;
    this.#cancelNext();
    letGo(client);
    this.#options.log.warn({ err: error }, "Changes of accounts and keys cannot be heard; trying again");
    this.#distrustLater();
    this.#reopenLater();
  }

  #distrustLater(): void {
    this.#cancelDeafness = this.#options.clock.after(DEAF_TRUST_MS, () => {
      this.#distrustLater();
      this.#options.onForeignChange();
    });
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
      this.#cancelDeafness?.();
      this.#cancelDeafness = undefined;
      this.#options.log.info("Changes of accounts and keys are heard again");
      // Whatever was changed before it listened is in the database now.
      this.#options.onForeignChange();
    }
  }
}

function letGo(client: pg.Client): void {
  leave(client);
  client.end().catch(() => {});
}
