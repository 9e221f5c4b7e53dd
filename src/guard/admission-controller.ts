// The guard: one decision on a call's headers alone. It finds the key's owner, checks what the key may call, and charges this second and this
// month. Where the key is remembered and a lease is in memory it decides at once, without asking anybody.

import { internalProblem, type Problem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { CallerWatch } from "./caller-watch.ts";
import { Callers, type CallersDependencies } from "./callers.ts";
import type { AdmissionRequest, Admitted, Decision, Guard, Refused } from "./guard.ts";
import type { KnownKey } from "./keys/access.ts";
import { LimitCharger, type LimitChargerDependencies } from "./limit-charger.ts";
import { hourOf } from "./quota/month.ts";
import type { RefusalCounter } from "./refusal-counter.ts";
import { refused, shuttingDown } from "./refusals.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** What admission works with. */
export interface AdmissionControllerDependencies extends LimitChargerDependencies, CallersDependencies {
  readonly usage: UsageCounter;
  readonly refusals: RefusalCounter;
  readonly clock: Clock;
  readonly log: Log;
}

/** Decides on calls. */
export class AdmissionController implements Guard {
  readonly #dependencies: AdmissionControllerDependencies;
  readonly #watched: CallerWatch;
  readonly #callers: Callers;
  readonly #charger: LimitCharger;
  #stopped = false;

  constructor(dependencies: AdmissionControllerDependencies) {
    this.#dependencies = dependencies;
    this.#callers = new Callers(dependencies);
    const { usage, clock, nodeStatus } = dependencies;
    this.#watched = new CallerWatch({ clock, nodeStatus, check: (request) => this.#check(request) });
    this.#charger = new LimitCharger(dependencies, { usage, guard: this, callers: this.#watched });
  }

  /** An account has changed, or any may have. */
  changed(accountId?: string): void {
    this.#watched.changed(accountId);
  }

  /** Refuses every call from now on. */
  stop(): void {
    this.#stopped = true;
  }

  admit(request: AdmissionRequest): Decision {
    try {
      const decision = this.#admit(request);
      return decision instanceof Promise
        ? decision.then((decided) => this.#counted(decided, request)).catch((error: unknown) => this.#refuseDefect(error))
        : this.#counted(decision, request);
    } catch (error) {
      return this.#refuseDefect(error);
    }
  }

  #admit(request: AdmissionRequest): Decision {
    if (this.#stopped) {
      return refused(shuttingDown());
    }
    const caller = this.#callers.find(request);
    return caller instanceof Promise
      ? caller.then((found) => this.#admitCaller(found, request))
      : this.#admitCaller(caller, request);
  }

  #admitCaller(caller: KnownKey | Problem, request: AdmissionRequest): Decision {
    if ("reason" in caller) {
      return refused(caller);
    }
    const nowMs = this.#dependencies.clock.nowMs();
    const access = this.#callers.accessOf(caller, request, nowMs);
    if ("reason" in access) {
      return refused(access, undefined, caller.identity);
    }
    // Once more: it may have been stopped while the key was looked up.
    return this.#stopped ? refused(shuttingDown()) : this.#charger.charge(access, request, nowMs);
  }

  #counted(decision: Admitted | Refused, { service, isDryRun }: AdmissionRequest): Admitted | Refused {
    // Who only asks what would become of a call has made none.
    if (!decision.admitted && !isDryRun) {
      const { refusals, calendar, clock } = this.#dependencies;
      const nowMs = clock.nowMs();
      const today = calendar.todayAt(nowMs);
      refusals.count(decision, service, today.day, hourOf(today, nowMs));
    }
    return decision;
  }

  // Why a caller may not call any more, whatever the limits say. Looks at the key alone, and charges nothing.
  async #check(request: AdmissionRequest): Promise<Refused | undefined> {
    const caller = await this.#callers.find(request);
    const access = "reason" in caller ? caller : this.#callers.accessOf(caller, request, this.#dependencies.clock.nowMs());
    return "reason" in access ? refused(access) : undefined;
  }

  #refuseDefect(error: unknown): Refused {
    this.#dependencies.log.error({ err: error }, "The guard has failed");
    return refused(internalProblem(error));
  }
}
