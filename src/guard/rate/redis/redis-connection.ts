// A thread's connection to Redis, and whether Redis can be used: whether it runs the bucket script without an error and responds in time.
// If it does not, the connection is replaced until it does: behind the same address there may be another server by then, such as the
// primary after a failover.
import { ErrorReply } from "redis";
import { type RedisAddress, redisAddressOf } from "../../../config/redis-address.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import { BUCKET_SCRIPT, type BucketReply, CLUSTER_PARTS, ONE_PART, partOf, type RedisPart } from "./bucket-script.ts";
import { createRedisClient, type RedisClient } from "./redis-client.ts";

// Long enough that a busy machine is not mistaken for a failing Redis.
const LATE_MS = 250;
const CONNECT_TIMEOUT_MS = 2000;
const RECONNECT_MS = 200;
// A connection that has not responded for this long is replaced.
const UNRESPONSIVE_MS = 1000;
// How often Redis is checked without a call: while it is used, also because its script notices only then that its clock was set back.
const CHECK_MS = 250;
const RETRY_MS = 100;
const FIRST_CHECKS_MAX = 20;

/** What a bucket is asked for. */
export interface BucketRequest {
  readonly name: string;
  readonly requestsPerSecond: number;
  /** How many tokens to take, or to refund if it is negative. */
  readonly tokens: number;
  /** How many tokens may be taken that the bucket does not have. */
  readonly debt?: number;
}

interface RedisConnectionOptions {
  /** Contains the password, so it is never logged. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How many servers there are, including this one. */
  readonly nodesAlive: () => number;
  /** How long Redis may take to respond; 250 ms by default. */
  readonly lateMs?: number;
  readonly createClient?: (address: RedisAddress) => RedisClient;
}

interface Sent {
  readonly atMs: number;
  readonly reject: (error: Error) => void;
}

/** Redis did not respond in time. */
class RedisSilent extends Error {
  override readonly name = "RedisSilent";
}

export class RedisConnection {
  /** The parts that the buckets are divided into. */
  readonly parts: readonly RedisPart[];
  readonly #options: RedisConnectionOptions;
  readonly #address: RedisAddress;
  readonly #lateMs: number;
  // Requests without a response, in the order in which they were sent.
  readonly #sent = new Set<Sent>();
  #client: RedisClient | undefined;
  #downSinceMs: number | undefined;
  #onChange = (): void => {};
  #isClosed = false;
  #isWatching = false;
  // When Redis was last asked by a check that has no response yet.
  #checkedAtMs: number | undefined;
  #cancelNext = (): void => {};
  // What kind of error was last logged. An outage is logged once for each.
  #logged: string | undefined;

  constructor(options: RedisConnectionOptions) {
    const address = redisAddressOf(options.url);
    if (address === undefined) {
      throw new Error("The Redis connection string is not valid.");
    }
    this.#options = options;
    this.#downSinceMs = options.clock.monotonicMs();
    this.#address = address;
    this.#lateMs = options.lateMs ?? LATE_MS;
    this.parts = address.kind === "cluster" ? CLUSTER_PARTS : ONE_PART;
  }

  /** Since when Redis cannot be used, on the monotonic clock; undefined while it can. */
  get downSinceMs(): number | undefined {
    return this.#downSinceMs;
  }

  /** Calls `run` when Redis can be used, or no longer. */
  onChange(run: () => void): void {
    this.#onChange = run;
  }

  get #isUp(): boolean {
    return this.#downSinceMs === undefined;
  }

  /** Connects. Resolves once Redis can be used, or after a failure. Never rejects. From then on, the connection is kept up. */
  async open(): Promise<void> {
    await this.#connect();
    // The first responses arrive late in a process that is still starting.
    for (let check = 0; check < FIRST_CHECKS_MAX && !this.#isUp && this.#client !== undefined; check++) {
      await this.#check();
    }
    if (!this.#isUp && this.#client !== undefined) {
      this.#down(new RedisSilent(`Redis takes more than ${this.#lateMs} ms.`));
    }
  }

  /**
   * Runs the script. Rejects if Redis cannot be used. If it may nevertheless have run the script, calls `late` as soon as it is known how
   * many tokens it took, or that this will never be known.
   */
  async run(
    { name, requestsPerSecond, tokens, debt = 0 }: BucketRequest,
    late = (_taken: number): void => {},
  ): Promise<BucketReply> {
    const part = partOf(this.parts, name);
    const client = this.#client;
    if (client === undefined || !this.#isUp) {
      throw new Error("Redis cannot be used.");
    }
    const { promise, reject } = Promise.withResolvers<never>();
    const sent: Sent = { atMs: this.#options.clock.monotonicMs(), reject };
    this.#sent.add(sent);
    this.#watch();
    const running = runBucketScript(client, part, name, [requestsPerSecond, tokens, debt]);
    try {
      return await Promise.race([running, promise]);
    } catch (error) {
      running.then(
        ([taken]) => late(taken),
        (cause: unknown) => late(cause instanceof ErrorReply ? 0 : tokens),
      );
      if (error instanceof ErrorReply) {
        this.#lost(client, error);
      } else {
        this.#down(error);
      }
      throw error;
    } finally {
      this.#sent.delete(sent);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelNext();
    this.#client?.destroy();
    this.#client = undefined;
    this.#downSinceMs ??= this.#options.clock.monotonicMs();
  }

  async #connect(): Promise<void> {
    const { clock, createClient = createRedisClient } = this.#options;
    const client = createClient(this.#address);
    this.#client = client;
    client.onLost((error) => this.#lost(client, error));
    const { promise: late, reject } = Promise.withResolvers<never>();
    // This time includes authentication.
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () => reject(new RedisSilent("Redis took too long to accept the connection.")));
    try {
      await Promise.race([client.connect(), late]);
    } catch (error) {
      this.#lost(client, error);
    }
    cancel();
  }

  // Takes a token from a bucket of its own in each part. So Redis is only used if it has memory for buckets and lets us write them.
  async #check(): Promise<void> {
    const { clock } = this.#options;
    const client = this.#client;
    if (client === undefined || this.#isClosed) {
      return;
    }
    this.#cancelNext();
    const startedMs = clock.monotonicMs();
    this.#checkedAtMs ??= startedMs;
    this.#checkLater();
    try {
      await Promise.all(this.parts.map((part) => runBucketScript(client, part, "check", [1000, 1, 0])));
      if (client === this.#client) {
        this.#checkedAtMs = undefined;
        // A late response makes Redis neither usable nor unusable: this process may have been stalled. Calls notice themselves.
        if (clock.monotonicMs() - startedMs <= this.#lateMs) {
          this.#up();
        }
      }
    } catch (error) {
      this.#lost(client, error);
    }
  }

  #checkLater(): void {
    const { clock } = this.#options;
    this.#cancelNext = clock.after(this.#isUp ? CHECK_MS : RETRY_MS, () => {
      if (
        this.#client !== undefined &&
        this.#checkedAtMs !== undefined &&
        clock.monotonicMs() - this.#checkedAtMs >= UNRESPONSIVE_MS
      ) {
        this.#lost(this.#client, new RedisSilent("Redis no longer responds."));
      } else {
        void this.#check();
      }
    });
  }

  // Notices that responses are late. Waits one turn of the event loop first: if this process itself was stalled, responses that have
  // arrived are read.
  #watch(): void {
    if (!this.#isWatching) {
      this.#isWatching = true;
      this.#options.clock.after(this.#lateMs / 4, () =>
        setImmediate(() => {
          this.#isWatching = false;
          const [oldest] = this.#sent;
          if (oldest !== undefined && this.#options.clock.monotonicMs() - oldest.atMs >= this.#lateMs) {
            this.#down(new RedisSilent(`Redis took more than ${this.#lateMs} ms.`));
          } else if (oldest !== undefined) {
            this.#watch();
          }
        }),
      );
    }
  }

  #up(): void {
    const { log, nodesAlive } = this.#options;
    if (!this.#isUp && !this.#isClosed) {
      this.#downSinceMs = undefined;
      if (this.#logged !== undefined) {
        log.info({ nodes: nodesAlive() }, "Redis responds; all servers count each rate together");
      }
      this.#logged = undefined;
      this.#onChange();
    }
  }

  #down(error: unknown): void {
    const { log, nodesAlive } = this.#options;
    if (this.#isClosed) {
      return;
    }
    const kind = error instanceof ErrorReply ? (error.message.split(" ", 1)[0] as string) : "silent";
    if (this.#isUp || this.#logged === undefined || (kind !== "silent" && kind !== this.#logged)) {
      this.#logged = kind;
      log.warn({ err: error, nodes: nodesAlive() }, "Redis cannot be used; this server admits its share of each rate");
    }
    const wasUp = this.#isUp;
    this.#downSinceMs ??= this.#options.clock.monotonicMs();
    for (const sent of this.#sent) {
      sent.reject(error instanceof Error ? error : new RedisSilent(String(error)));
    }
    if (wasUp) {
      this.#cancelNext();
      this.#checkLater();
      this.#onChange();
    }
  }

  #lost(client: RedisClient, error: unknown): void {
    if (this.#client !== client || this.#isClosed) {
      return;
    }
    this.#client = undefined;
    this.#checkedAtMs = undefined;
    client.destroy();
    this.#down(error);
    this.#cancelNext();
    this.#cancelNext = this.#options.clock.after(RECONNECT_MS, () => void this.#connect().then(() => this.#check()));
  }
}

/** Runs the bucket script on one server. Rejects with Redis's own error, or if the connection breaks. */
export async function runBucketScript(
  client: Pick<RedisClient, "send">,
  part: RedisPart,
  name: string,
  [requestsPerSecond, tokens, debt]: readonly [requestsPerSecond: number, tokens: number, debt: number],
): Promise<BucketReply> {
  const bucket = part.bucket(name);
  const capacity = Math.max(1, requestsPerSecond);
  const rest = ["2", bucket, part.clock, ...[requestsPerSecond, capacity, tokens, debt].map(String)];
  try {
    return (await client.send(bucket, ["EVALSHA", BUCKET_SCRIPT.sha1, ...rest])) as BucketReply;
  } catch (error) {
    // After a restart, Redis no longer knows the script.
    if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
      return (await client.send(bucket, ["EVAL", BUCKET_SCRIPT.source, ...rest])) as BucketReply;
    }
    throw error;
  }
}
