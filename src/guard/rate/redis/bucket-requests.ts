// A thread's requests to the buckets in Redis. Each reports how many tokens were taken from the process's lease. If a request takes too
// long or fails, Redis is not healthy.
import type { Clock } from "../../../runtime/clock.ts";
import { LinkedList, ListNode } from "../../../runtime/linked-list.ts";
import type { LeaseReport, RateLeases } from "../rate-lease.ts";
import { BUCKET_SCRIPT } from "./bucket-script.ts";
import { LEASED_RATE_MIN } from "./lease-rates.ts";
import type { RedisBucket } from "./redis-bucket.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisHealth } from "./redis-health.ts";
import { partOf } from "./redis-keys.ts";

const THOUSANDTHS = 1000;
// With each report, a lease keeps unused tokens: as many as its rate adds in this time, or this many if that is more.
const KEPT_SECONDS = 0.1;
const KEPT_MIN = 2;
// A lease for outages keeps this many, as long as the bucket is mostly full.
const STANDBY_KEPT = 2;
// About how many calls one report covers, and the bounds of the time between two reports.
const CALLS_PER_REPORT = 16;
const REPORT_MS = { min: 100, max: 600 };
// How many ended leases are kept until their end can be reported to Redis, and for how long. Redis also forgets leases on its own.
const ENDS_MAX = 10_000;
const END_REPORTED_WITHIN_MS = 10_000;

type Reply = readonly [
  taken: number,
  left: number,
  nextMicros: number,
  fullAtMicros: number,
  rate: number,
  tokens: number,
  use: number,
  isUncertain: number,
];

/** Redis's response. */
export interface Granted {
  /** How many tokens it has granted to the waiting calls. */
  readonly taken: number;
  /** How many tokens are left that no node holds, including a fraction. */
  readonly left: number;
  /** The leased rate; 0 for none. */
  readonly tokensPerSecond: number;
  /** Whether there may be more tokens than is known, because Redis has lost the bucket or nodes were silent recently. */
  readonly isUncertain: boolean;
}

export interface BucketRequestsOptions {
  readonly leases: RateLeases;
  readonly connection: Pick<RedisConnection, "run" | "parts">;
  readonly health: Pick<RedisHealth, "isHealthy" | "nodes" | "partOf" | "failed" | "onChange">;
  readonly clock: Clock;
  /** This node's unique name. */
  readonly node: string;
  /** How long Redis may take to respond. */
  readonly lateMs: number;
}

interface End {
  readonly bucket: RedisBucket;
  readonly report: LeaseReport;
  readonly untilMs: number;
}

export class BucketRequests {
  readonly #options: BucketRequestsOptions;
  // When each request without a response was sent.
  readonly #sent = new LinkedList<number>();
  readonly #unreportedEnds: End[] = [];
  #isWatching = false;

  constructor(options: BucketRequestsOptions) {
    this.#options = options;
  }

  /**
   * Takes tokens for `wanted` calls, reports how many were taken from the lease, and extends the lease. If `isIdle`, a lease that is only
   * for outages of Redis is extended at the minimum rate. `admittedLocally`: how many calls the node admitted while it counted on its own.
   * Undefined if Redis failed. Never rejects.
   */
  async take(bucket: RedisBucket, wanted: number, admittedLocally: number, isIdle: boolean): Promise<Granted | undefined> {
    const { leases, health, clock } = this.#options;
    const { slot, requestsPerSecond } = bucket;
    const startedMs = clock.monotonicMs();
    const report = leases.report(slot, startedMs, this.#keptMax(bucket, startedMs));
    const reply = await this.#send(bucket, wanted, admittedLocally, report, this.#wantedLease(bucket, isIdle));
    if (reply === undefined) {
      return undefined;
    }
    this.#reportEnds();
    const [taken, left, , fullAtMicros, rate, tokens, use, isUncertain] = reply;
    bucket.fullAtMicros = fullAtMicros;
    const nowMs = clock.monotonicMs();
    const reportMs = Math.min(REPORT_MS.max, Math.max(REPORT_MS.min, (CALLS_PER_REPORT * 1000 * THOUSANDTHS) / use));
    const granted = {
      tokensPerSecond: rate / THOUSANDTHS,
      laterTokensPerSecond: requestsPerSecond / health.nodes,
      tokens: tokens / THOUSANDTHS,
      reportedAtMicros: report.atMicros,
      dueMs: nowMs + reportMs,
    };
    // The slot may belong to another subscription by now.
    const isSame = leases.extend(slot, nowMs, report.lease, granted);
    return {
      taken,
      left: left / THOUSANDTHS,
      tokensPerSecond: isSame ? granted.tokensPerSecond : 0,
      isUncertain: isUncertain === 1,
    };
  }

  /** Ends the lease, and reports that to Redis as soon as possible. */
  end(bucket: RedisBucket): void {
    const { leases, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (leases.end(bucket.slot)) {
      const report = leases.report(bucket.slot, nowMs, 0);
      this.#unreportedEnds.push({ bucket, report, untilMs: nowMs + END_REPORTED_WITHIN_MS });
      if (this.#unreportedEnds.length > ENDS_MAX) {
        this.#unreportedEnds.shift();
      }
      this.#reportEnds();
    }
  }

  #reportEnds(): void {
    const { health, clock } = this.#options;
    if (this.#unreportedEnds.length > 0 && health.isHealthy) {
      for (const { bucket, report, untilMs } of this.#unreportedEnds.splice(0)) {
        if (clock.monotonicMs() < untilMs) {
          void this.#send(bucket, 0, 0, report, 0).then((reply) => {
            if (reply === undefined) {
              this.#unreportedEnds.push({ bucket, report, untilMs });
            }
          });
        }
      }
    }
  }

  #keptMax(bucket: RedisBucket, nowMs: number): number {
    if (!bucket.isLeaseSpent) {
      return bucket.isMostlyFull(nowMs) ? STANDBY_KEPT : 0;
    }
    return Math.max(KEPT_MIN, KEPT_SECONDS * this.#options.leases.tokensPerSecond(bucket.slot, nowMs));
  }

  #wantedLease({ requestsPerSecond, isLeaseSpent }: RedisBucket, isIdle: boolean): number {
    if (requestsPerSecond < LEASED_RATE_MIN) {
      return 0;
    }
    return isLeaseSpent ? 1 : isIdle ? 3 : 2;
  }

  async #send(
    bucket: RedisBucket,
    wanted: number,
    admittedLocally: number,
    report: LeaseReport,
    wantedLease: number,
  ): Promise<Reply | undefined> {
    const { connection, health, node, clock, lateMs } = this.#options;
    const { name, requestsPerSecond, waiting, fullAtMicros } = bucket;
    const part = partOf(connection.parts, name);
    const { lease, taken, atMicros, tokensPerSecond, kept, missing } = report;
    const rate = requestsPerSecond * health.partOf(requestsPerSecond);
    const fresh = wanted > 0 ? waiting.takeFresh() : 0;
    const nodeReport = [node, lease, taken, atMicros, tokensPerSecond, kept];
    const args = [rate, wanted, ...nodeReport, wantedLease, admittedLocally, fullAtMicros, fresh, missing];
    const sent = new ListNode(clock.monotonicMs());
    this.#sent.addLast(sent);
    this.#watch(lateMs);
    try {
      return (await connection.run(BUCKET_SCRIPT, [part.bucket(name), part.memory], args.map(String))) as Reply;
    } catch (error) {
      health.failed(error);
      return undefined;
    } finally {
      sent.leave();
    }
  }

  #watch(delayMs: number): void {
    if (!this.#isWatching) {
      this.#isWatching = true;
      // Waits one turn of the event loop: if this process itself was stalled, responses that have arrived are read first.
      this.#options.clock.after(delayMs, () =>
        setImmediate(() => {
          this.#isWatching = false;
          this.#check();
        }),
      );
    }
  }

  #check(): void {
    const { health, clock, lateMs } = this.#options;
    const oldestMs = this.#sent.first;
    if (oldestMs !== undefined) {
      const leftMs = oldestMs + lateMs - clock.monotonicMs();
      if (leftMs <= 0 && health.isHealthy) {
        health.failed(new Error(`Redis took more than ${lateMs} ms.`));
      }
      this.#watch(Math.max(leftMs, lateMs / 4));
    }
  }
}
