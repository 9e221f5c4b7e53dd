// The connection to Redis, which is reopened whenever it breaks, with a growing pause between attempts. A command is sent or rejected
// immediately: nothing waits here for a connection. The commands of one turn of the event loop go out in one write.
import { createClient } from "redis";
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import type { RedisScript } from "./redis-scripts.ts";

const CONNECT_TIMEOUT_MS = 2000;
const FIRST_RETRY_MS = 50;
// A node that cannot reach Redis admits only its share, so it does not wait long.
const LAST_RETRY_MS = 200;
// More unanswered commands than this are not sent.
const COMMANDS_MAX = 20_000;

interface RedisConnectionOptions {
  /** With its password; never logged. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
}

type Client = ReturnType<typeof makeClient>;

// Reconnecting is done here, where time is passed in. Every Redis and Valkey speaks protocol 2.
const makeClient = (url: string) =>
  createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: COMMANDS_MAX,
    disableClientInfo: true,
    maintNotifications: "disabled",
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  });

/** A connection that is reopened when it breaks. */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  #client: Client | undefined;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry = (): void => {};
  #closed = false;
  #onLost = (_error: unknown): void => {};

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
  }

  /** Connects, and resolves when the first attempt has succeeded or failed. Never rejects. */
  async open(): Promise<void> {
    const client = makeClient(this.#options.url);
    this.#client = client;
    client.on("error", (error: unknown) => this.#lost(client, error));
    // This time includes signing in.
    const cancel = this.#options.clock.after(CONNECT_TIMEOUT_MS, () =>
      this.#lost(client, new Error("Redis took too long to let us in.")),
    );
    try {
      await client.connect();
      this.#retryMs = FIRST_RETRY_MS;
    } catch (error) {
      this.#lost(client, error);
    }
    cancel();
  }

  /** Calls `run` when a connection is lost or cannot be made. */
  onLost(run: (error: unknown) => void): void {
    this.#onLost = run;
  }

  /** Runs a script. Rejects if the connection is down or breaks, and with Redis's own error. */
  async run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.send(["EVALSHA", script.sha1, ...rest]);
    } catch (error) {
      // After a restart, Redis no longer knows the script.
      if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
        return await this.send(["EVAL", script.source, ...rest]);
      }
      throw error;
    }
  }

  /** Sends a command. Rejects as `run` does. */
  send(command: string[]): Promise<unknown> {
    return this.#client?.sendCommand(command) ?? Promise.reject(new Error("There is no connection to Redis."));
  }

  /** Replaces a connection that does not respond. */
  renew(): void {
    if (this.#client !== undefined) {
      this.#lost(this.#client, new Error("Redis no longer responds."));
    }
  }

  close(): void {
    this.#closed = true;
    this.#cancelRetry();
    this.#client?.destroy();
    this.#client = undefined;
  }

  #lost(client: Client, error: unknown): void {
    if (this.#client !== client || this.#closed) {
      return;
    }
    this.#client = undefined;
    client.destroy();
    this.#options.log.debug({ err: error }, "The connection to Redis was lost");
    this.#cancelRetry = this.#options.clock.after(this.#retryMs, () => void this.open());
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
    this.#onLost(error);
  }
}
