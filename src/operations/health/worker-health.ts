// Whether a worker as a whole and each of its services can serve. Computed only on request.
import type { Clock } from "../../runtime/clock.ts";

/** The health of a worker or one of its services. */
export type ServingStatus = "SERVING" | "NOT_SERVING";

/** The name of the worker as a whole. https://github.com/grpc/grpc/blob/master/doc/health-checking.md */
const OVERALL = "";

/**
 * Why a worker is not ready: it is stopping, it cannot check the limits of any call because it has lost its database, or a service has not
 * yet tried to get what it needs.
 */
export type NotReady = "draining" | "limits-unavailable" | "starting";

export interface WorkerHealthOptions {
  /** Full name of a service, such as `quintet.farkle.v1.FarkleService` → whether it can serve; undefined if it always can. */
  readonly services: ReadonlyMap<string, (() => boolean) | undefined>;
  /** Whether calls can be admitted at all. */
  readonly canAdmit: () => boolean;
  /** Whether every service is ready for its first call. */
  readonly hasStarted: () => boolean;
  readonly clock: Pick<Clock, "after">;
}

const CHECK_EVERY_MS = 1000;

export class WorkerHealth {
  readonly #options: WorkerHealthOptions;
  readonly #waiting = new Set<() => void>();
  #cancelCheck: (() => void) | undefined;
  #isDraining = false;

  constructor(options: WorkerHealthOptions) {
    this.#options = options;
  }

  /** Marks everything as unable to serve, because the server is about to stop. */
  drain(): void {
    this.#isDraining = true;
    this.#wake();
  }

  /** Why callers should use another server; undefined while they can use this one. A fault of only one service is not a reason. */
  get notReady(): NotReady | undefined {
    if (this.#isDraining) {
      return "draining";
    }
    if (!this.#options.canAdmit()) {
      return "limits-unavailable";
    }
    return this.#options.hasStarted() ? undefined : "starting";
  }

  /** The health of a service or, for the empty name, of the worker as a whole; undefined for an unknown service. */
  statusOf(name: string): ServingStatus | undefined {
    const { services } = this.#options;
    if (name !== OVERALL && !services.has(name)) {
      return undefined;
    }
    const { notReady } = this;
    // While one service starts, the others serve.
    const canServe = notReady === undefined || (notReady === "starting" && name !== OVERALL);
    const isServing = canServe && (services.get(name)?.() ?? true);
    return isServing ? "SERVING" : "NOT_SERVING";
  }

  /** The health of everything: first the worker as a whole, then each service. */
  all(): ReadonlyMap<string, ServingStatus> {
    const names = [OVERALL, ...this.#options.services.keys()];
    return new Map(names.map((name) => [name, this.statusOf(name) ?? "NOT_SERVING"]));
  }

  /** Resolves when a status may have changed: after a second, when a drain begins, or when `signal` aborts. */
  untilNextCheck(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        this.#stopIfUnused();
        resolve();
      };
      if (signal.aborted) {
        resolve();
        return;
      }
      signal.addEventListener("abort", wake, { once: true });
      this.#waiting.add(wake);
      this.#cancelCheck ??= this.#options.clock.after(CHECK_EVERY_MS, () => this.#wake());
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) {
      wake();
    }
  }

  // All waiters share one timer, which runs only while there are any.
  #stopIfUnused(): void {
    if (this.#waiting.size === 0) {
      this.#cancelCheck?.();
      this.#cancelCheck = undefined;
    }
  }
}
