// The guard: one decision on a call's headers alone. It finds the key's owner, checks what the key may call, and charges this second and this
// month. Where the key is remembered and a lease is in memory it decides at once, without asking anybody.

import { internalProblem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { NodeStatus } from "../store/node-status.ts";
import { CallerWatch } from "./caller-watch.ts";
import type { AdmissionRequest, Admitted, Decision, Guard, Refused } from "./guard.ts";
import { accessOf, type KnownKey } from "./keys/access.ts";
import type { Credentials } from "./keys/credentials.ts";
import { parseKey } from "./keys/key.ts";
import { keyMalformed, keyMissing, keyUnknown } from "./keys/key-refusals.ts";
import { LimitCharger, type LimitChargerDependencies } from "./limit-charger.ts";
import { keyStatusUnknown, limitsUnavailable, refused, shuttingDown } from "./refusals.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** What admission works with. */
export interface AdmissionControllerDependencies extends LimitChargerDependencies {
  readonly credentials: Credentials;
  readonly usage: UsageCounter;
  readonly nodeStatus: NodeStatus;
  readonly clock: Clock;
  readonly log: Log;
}

/** Decides on calls. */
export class AdmissionController implements Guard {
  readonly #dependencies: AdmissionControllerDependencies;
  readonly #callers: CallerWatch;
  readonly #charger: LimitCharger;
  #stopped = false;

  constructor(dependencies: AdmissionControllerDependencies) {
    this.#dependencies = dependencies;
    const { usage, clock, nodeStatus } = dependencies;
    this.#callers = new CallerWatch({ clock, nodeStatus, check: (request) => this.#check(request) });
    this.#charger = new LimitCharger(dependencies, { usage, guard: this, callers: this.#callers });
  }

  /** An account has changed, or any may have. */
  changed(accountId?: string): void {
    this.#callers.changed(accountId);
  }

  /** Refuses every call from now on. */
  stop(): void {
    this.#stopped = true;
  }

  admit(request: AdmissionRequest): Decision {
    try {
      const decision = this.#admit(request);
      return decision instanceof Promise ? decision.catch((error: unknown) => this.#refuseDefect(error)) : decision;
    } catch (error) {
      return this.#refuseDefect(error);
    }
  }

  #admit(request: AdmissionRequest): Decision {
    const { credentials, nodeStatus, clock } = this.#dependencies;
    if (this.#stopped) {
      return refused(shuttingDown());
    }
    const isStale = nodeStatus.isStale(clock.monotonicMs());
    const remembered = request.key === undefined || isStale ? undefined : credentials.remembered(request.key);
    if (remembered !== undefined) {
      return remembered === "unknown" ? refused(keyUnknown()) : this.#admitCaller(remembered, request);
    }
    const parsed = parseKey(request.key);
    switch (parsed.kind) {
      case "missing":
        return refused(keyMissing());
      case "malformed":
        return refused(keyMalformed(parsed.message));
      case "ok":
        // The store was silent for too long: what is remembered of the key may have changed.
        return isStale ? refused(keyStatusUnknown(request.service)) : this.#admitUncachedKey(parsed.key, request);
    }
  }

  async #admitUncachedKey(key: string, request: AdmissionRequest): Promise<Admitted | Refused> {
    const found = await this.#dependencies.credentials.find(key);
    switch (found) {
      case "unknown":
        return refused(keyUnknown());
      case "unavailable":
        return refused(limitsUnavailable(request.service));
      default:
        return this.#admitCaller(found, request);
    }
  }

  #admitCaller(caller: KnownKey, request: AdmissionRequest): Decision {
    const nowMs = this.#dependencies.clock.nowMs();
    const access = accessOf(caller, request.service, nowMs);
    if ("reason" in access) {
      return refused(access, undefined, caller.identity);
    }
    // Once more: it may have been stopped while the key was looked up.
    return this.#stopped ? refused(shuttingDown()) : this.#charger.charge(access, request, nowMs);
  }

  // Why a caller may not call any more, whatever the limits say. Looks at the key alone, and charges nothing.
  async #check({ key = "", service }: AdmissionRequest): Promise<Refused | undefined> {
    const { credentials, clock, nodeStatus } = this.#dependencies;
    if (nodeStatus.isStale(clock.monotonicMs())) {
      return refused(keyStatusUnknown(service));
    }
    const found = credentials.remembered(key) ?? (await credentials.find(key));
    switch (found) {
      case "unknown":
        return refused(keyUnknown());
      case "unavailable":
        return refused(limitsUnavailable(service));
    }
    const access = accessOf(found, service, clock.nowMs());
    return "reason" in access ? refused(access) : undefined;
  }

  #refuseDefect(error: unknown): Refused {
    this.#dependencies.log.error({ err: error }, "The guard has failed");
    return refused(internalProblem(error));
  }
}
