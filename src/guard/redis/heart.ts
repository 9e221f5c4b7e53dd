// Whether Redis may be asked on a caller's time, and how many nodes there are. Each node gives a sign of life once a second, which counts
// the nodes on the way; the number that was heard last goes on being believed while Redis is down. Redis is well when it answers that
// within the time that a caller would wait; when it did not answer a caller, or a sign of life, callers are kept away from it until a
// later sign of life is answered in time.
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import { nodesKey } from "./keys.ts";
import type { RedisLink } from "./link.ts";
import { heartbeatScript } from "./scripts.ts";

const BEAT_MS = 1000;
// While Redis is not well.
const PROBE_MS = 200;
// A node that has not given a sign of life for this long is gone.
const NODE_HOLDS_MS = 5000;
// A connection that has not answered for this long is given up.
const DEAD_MS = 1000;
const GOODBYE_MS = 200;

/** What the heart is made from. */
export interface RedisHeartOptions {
  readonly link: Pick<RedisLink, "run" | "send" | "renew">;
  readonly clock: Clock;
  readonly log: Log;
  /** This node's name: nobody else's. */
  readonly node: string;
  /** How long a caller would wait. */
  readonly waitMs: number;
}

/** Beats until it is stopped. */
export class RedisHeart {
  readonly #options: RedisHeartOptions;
  #isWell = false;
  // Said once for each outage.
  #complained = false;
  #nodes = 1;
  // When the beat was sent that has no answer.
  #askedAtMs: number | undefined;
  #cancelNext = (): void => {};
  #stopped = false;

  constructor(options: RedisHeartOptions) {
    this.#options = options;
  }

  /** Whether callers may ask. */
  get isWell(): boolean {
    return this.#isWell;
  }

  /** How many nodes there are, this one included, as far as is known. A node that has never reached Redis counts itself alone. */
  get nodes(): number {
    return this.#nodes;
  }

  /** Gives a sign of life, and goes on doing so. Resolves once it is answered, or cannot be. Never rejects. */
  async beat(): Promise<void> {
    const { link, clock, node, waitMs } = this.#options;
    this.#cancelNext();
    const askedAtMs = clock.monotonicMs();
    this.#askedAtMs ??= askedAtMs;
    this.#cancelNext = clock.after(this.#isWell ? BEAT_MS : PROBE_MS, () => this.#beatAgain());
    try {
      const nodes = await link.run(heartbeatScript, nodesKey, [node, String(NODE_HOLDS_MS)]);
      this.#askedAtMs = undefined;
      this.#nodes = Math.max(1, Number(nodes));
      // A slow answer heals nothing, and is no harm either: callers find out for themselves.
      if (clock.monotonicMs() - askedAtMs <= waitMs) {
        this.#recovered();
      }
    } catch (error) {
      this.#askedAtMs = undefined;
      this.failed(error);
    }
  }

  /** Redis did not answer, or not well: callers are kept away for a while. */
  failed(error: unknown): void {
    if (this.#stopped) {
      return;
    }
    if (this.#isWell || !this.#complained) {
      this.#complained = true;
      this.#options.log.warn({ err: error, nodes: this.#nodes }, "Redis does not answer; this node admits its share of each rate");
    }
    if (this.#isWell) {
      this.#isWell = false;
      this.#cancelNext();
      this.#cancelNext = this.#options.clock.after(PROBE_MS, () => this.#beatAgain());
    }
  }

  /** Stops beating and says goodbye, so that the others know at once. Never rejects. */
  async stop(): Promise<void> {
    const { link, clock, node } = this.#options;
    this.#stopped = true;
    this.#cancelNext();
    if (this.#isWell) {
      this.#isWell = false;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(GOODBYE_MS, resolve);
      await Promise.race([link.send(["ZREM", nodesKey, node]).catch(() => {}), late]);
      cancel();
    }
  }

  #beatAgain(): void {
    if (this.#stopped) {
      return;
    }
    const { link, clock } = this.#options;
    if (this.#askedAtMs !== undefined && clock.monotonicMs() - this.#askedAtMs >= DEAD_MS) {
      this.#askedAtMs = undefined;
      link.renew();
    }
    void this.beat();
  }

  #recovered(): void {
    if (this.#complained && !this.#isWell && !this.#stopped) {
      this.#options.log.info({ nodes: this.#nodes }, "Redis answers; all nodes count each rate together");
    }
    this.#complained = false;
    if (!this.#isWell && !this.#stopped) {
      this.#isWell = true;
      this.#cancelNext();
      this.#cancelNext = this.#options.clock.after(BEAT_MS, () => this.#beatAgain());
    }
  }
}
