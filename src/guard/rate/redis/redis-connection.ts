// The connection to Redis, which is reopened whenever it breaks, with a growing pause between attempts. A command is sent or rejected
// immediately: nothing waits here for a connection. The commands of one turn of the event loop go out in one write.
import { ErrorReply } from "redis";
import { redisAddressOf } from "../../../config/redis-address.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import { createRedisClient, type RedisClient } from "./redis-client.ts";
import { CLUSTER_PARTS, ONE_PART, type RedisPart } from "./redis-keys.ts";
import type { RedisScript } from "./redis-script.ts";

const CONNECT_TIMEOUT_MS = 2000;
const RETRY_MIN_MS = 50;
// A node that cannot reach Redis admits only its share, so it does not wait long.
const RETRY_MAX_MS = 200;

interface RedisConnectionOptions {
  /** Contains the password, so it is never logged. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A connection that is reopened when it breaks. */
export class RedisConnection {
  /** The parts that the buckets are divided into. */
  readonly parts: readonly RedisPart[];
  readonly #options: RedisConnectionOptions;
  readonly #hasSeveralServers: boolean;
  readonly #createClient: () => RedisClient;
  #client: RedisClient | undefined;
  #retryMs = RETRY_MIN_MS;
  #cancelRetry = (): void => {};
  #closed = false;
  #onLost = (_error: unknown): void => {};

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    const address = redisAddressOf(options.url);
    if (address === undefined) {
      throw new Error("The Redis connection string is not valid.");
    }
    this.#hasSeveralServers = address.kind !== "server";
    this.parts = address.kind === "cluster" ? CLUSTER_PARTS : ONE_PART;
    this.#createClient = () => createRedisClient(address);
  }

  /** Connects, and resolves when the first attempt has succeeded or failed. Never rejects. */
  async open(): Promise<void> {
    const client = this.#createClient();
    this.#client = client;
    client.onLost((error) => this.#lost(client, error));
    const { promise: late, resolve: giveUp } = Promise.withResolvers<void>();
    // This time includes authentication.
    const cancel = this.#options.clock.after(CONNECT_TIMEOUT_MS, () => {
      this.#lost(client, new Error("Redis took too long to accept the connection."));
      giveUp();
    });
    const connecting = client.connect().then(
      () => {
        this.#retryMs = RETRY_MIN_MS;
      },
      (error: unknown) => this.#lost(client, error),
    );
    await Promise.race([connecting, late]);
    cancel();
  }

  /** Calls `run` when a connection is lost or cannot be made. */
  onLost(run: (error: unknown) => void): void {
    this.#onLost = run;
  }

  /** Runs a script. Rejects if the connection is down or breaks, or if Redis responds with an error. */
  async run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const [key = ""] = keys;
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.send(key, ["EVALSHA", script.sha1, ...rest]);
    } catch (error) {
      // After a restart, Redis no longer knows the script.
      if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
        return await this.send(key, ["EVAL", script.source, ...rest]);
      }
      throw error;
    }
  }

  /** Sends a command about a key. Rejects as `run` does. */
  async send(key: string, command: string[]): Promise<unknown> {
    return this.#with((client) => client.send(key, command));
  }

  /** Sends a command to each server that keeps keys. Rejects as `run` does. */
  async sendToAll(command: string[]): Promise<readonly unknown[]> {
    return this.#with((client) => client.sendToAll(command));
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

  async #with<Reply>(send: (client: RedisClient) => Promise<Reply>): Promise<Reply> {
    const client = this.#client;
    if (client === undefined) {
      throw new Error("There is no connection to Redis.");
    }
    try {
      return await send(client);
    } catch (error) {
      // The client of a cluster, or of Sentinels, does not report that a server is gone.
      if (this.#hasSeveralServers && !(error instanceof ErrorReply)) {
        this.#lost(client, error);
      }
      throw error;
    }
  }

  #lost(client: RedisClient, error: unknown): void {
    if (this.#client !== client || this.#closed) {
      return;
    }
    this.#client = undefined;
    client.destroy();
    this.#options.log.debug({ err: error }, "The connection to Redis was lost");
    this.#cancelRetry = this.#options.clock.after(this.#retryMs, () => void this.open());
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MAX_MS);
    this.#onLost(error);
  }
}
