// The guard decides about each call from its headers alone. It finds the key's owner, checks what the key may call, and charges the call to
// the rate limit and the monthly quota. If the key is cached and a lease is in memory, it decides immediately, without querying the store.

import type { ServiceName } from "../catalogue/service-names.ts";
import { internalProblem, type Problem } from "../problem/problem.ts";
import { hourOf } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { NodeStatus } from "../store/node-status.ts";
import type { UsageCounter } from "./batched-counts.ts";
import { CallerWatch } from "./caller-watch.ts";
import type {
  AdmissionRequest,
  Admitted,
  CallerIdentification,
  CallerRequest,
  Decision,
  Guard,
  Identified,
  Refused,
} from "./guard.ts";
import { KeyLimitCharger, type KeyLimitChargerOptions } from "./key-limit-charger.ts";
import { type Access, accessOf, type KnownKey, unusableFrom } from "./keys/access.ts";
import type { CredentialLookup, Credentials } from "./keys/credentials.ts";
import { parseKey } from "./keys/key.ts";
import { keyMalformed, keyMissing, keyUnknown } from "./keys/key-refusals.ts";
import type { PublicKey } from "./keys/public-key.ts";
import { publicKeyOnlyReads } from "./keys/public-key-refusals.ts";
import { LimitCharger } from "./limit-charger.ts";
import { type MeshCaller, principalAccountName } from "./mesh/mesh-caller.ts";
import { certificateExpired, principalUnknown, principalWithoutAccount } from "./mesh/mesh-refusals.ts";
import type { RefusalCounter } from "./refusal-counter.ts";
import { keyStatusUnknown, limitsUnavailable, refused, shuttingDown } from "./refusals.ts";

// Finds out who makes a call: the owner of its key, or the mesh principal of its client certificate. If a key is sent, only the key counts,
// valid or not: a caller who sends a key wants to call as its owner, and a certificate must not make up for a wrong key.

// A connection is ended gracefully when its client's certificate expires: calls that are already on their way are accepted for this long.
const LATE_CALLS_MS = 10_000;

interface CallersOptions {
  readonly credentials: Credentials;
  /** The internal credentials of mesh principals. They are kept apart from keys, so that nobody can send one instead of a key. */
  readonly principalCredentials: Credentials;
  readonly nodeStatus: NodeStatus;
  readonly clock: Clock;
}

class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** The caller, or why the call is refused. Returned immediately if it is in memory. The promise never rejects. */
  find(request: CallerRequest): KnownKey | Problem | Promise<KnownKey | Problem> {
    const mesh = meshOf(request);
    return mesh === undefined ? this.#findOwner(request) : this.#findPrincipal(mesh, request);
  }

  #findOwner({ key, address, service }: CallerRequest): KnownKey | Problem | Promise<KnownKey | Problem> {
    const { credentials } = this.#options;
    const isStale = this.#isStale();
    const remembered = key === undefined || isStale ? undefined : credentials.remembered(key);
    if (remembered !== undefined) {
      return remembered === "unknown" ? keyUnknown() : remembered;
    }
    const parsed = parseKey(key);
    switch (parsed.kind) {
      case "missing":
        return keyMissing();
      case "malformed":
        return keyMalformed(parsed.message);
      case "ok":
        // The store was silent for too long: what is cached about the key may be outdated.
        return isStale
          ? keyStatusUnknown(service)
          : credentials.find(parsed.key, address).then((found) => callerOrProblem(found, service, keyUnknown));
    }
  }

  #findPrincipal({ principal, certificate }: MeshCaller, { address, service }: CallerRequest): ReturnType<Callers["find"]> {
    const { principalCredentials, clock } = this.#options;
    const { validUntilMs } = certificate;
    if (clock.nowMs() >= validUntilMs + LATE_CALLS_MS) {
      return certificateExpired(validUntilMs);
    }
    if (principal === undefined) {
      return principalUnknown();
    }
    if (this.#isStale()) {
      return keyStatusUnknown(service);
    }
    const id = principalAccountName(principal);
    const remembered = principalCredentials.remembered(id);
    const unknown = (): Problem => principalWithoutAccount(principal, service);
    return remembered === undefined
      ? principalCredentials.find(id, address).then((found) => callerOrProblem(found, service, unknown))
      : callerOrProblem(remembered, service, unknown);
  }

  #isStale(): boolean {
    const { nodeStatus, clock } = this.#options;
    return nodeStatus.canMissChanges && nodeStatus.isStale(clock.monotonicMs());
  }
}

// The certificate of a caller who does not send a key.
const meshOf = ({ key, mesh }: CallerRequest): MeshCaller | undefined => (key === undefined || key === "" ? mesh : undefined);

function callerOrProblem(found: CredentialLookup, service: ServiceName | undefined, unknown: () => Problem): KnownKey | Problem {
  return found === "unknown" ? unknown() : found === "unavailable" ? limitsUnavailable(service) : found;
}

interface AdmissionControllerOptions extends KeyLimitChargerOptions, CallersOptions {
  readonly usage: UsageCounter;
  readonly refusals: RefusalCounter;
  /** The key that the operator has made public; undefined if there is none. */
  readonly publicKey?: PublicKey | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export class AdmissionController implements Guard, CallerIdentification {
  readonly #options: AdmissionControllerOptions;
  readonly #watched: CallerWatch;
  readonly #callers: Callers;
  readonly #charger: LimitCharger;
  readonly #keyCharger: KeyLimitCharger;
  #stopped = false;

  constructor(options: AdmissionControllerOptions) {
    this.#options = options;
    this.#callers = new Callers(options);
    const { clock, nodeStatus } = options;
    this.#watched = new CallerWatch({ clock, nodeStatus, check: (request) => this.#check(request) });
    this.#charger = new LimitCharger(options, { ...options, guard: this, callers: this.#watched });
    this.#keyCharger = new KeyLimitCharger(options, this.#charger);
  }

  /** Checks connected callers again, because this account has changed; without an id, any account may have changed. */
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

  identify(request: CallerRequest): Identified | Refused | Promise<Identified | Refused> {
    try {
      if (this.#stopped) {
        return refused(shuttingDown());
      }
      // Callers with the public key are not identified: an identified caller has access to the key's account, and the public must not.
      if (this.#options.publicKey?.is(request.key)) {
        return refused(publicKeyOnlyReads(request.service));
      }
      const caller = this.#callers.find(request);
      return caller instanceof Promise
        ? caller.then((found) => this.#identified(found, request)).catch((error: unknown) => this.#refuseDefect(error))
        : this.#identified(caller, request);
    } catch (error) {
      return this.#refuseDefect(error);
    }
  }

  #identified(caller: KnownKey | Problem, request: CallerRequest): Identified | Refused {
    if ("reason" in caller) {
      return refused(caller);
    }
    const { identity } = caller;
    const problem = unusableFrom(caller, request, this.#options.clock.nowMs());
    return problem === undefined ? { identity } : refused(problem, undefined, identity);
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
    const nowMs = this.#options.clock.nowMs();
    const access = accessOf(caller, request, nowMs);
    if ("reason" in access) {
      return refused(access, undefined, caller.identity);
    }
    // Checked again: the guard may have been stopped while the key was looked up.
    if (this.#stopped) {
      return refused(shuttingDown());
    }
    const { publicKey } = this.#options;
    return publicKey?.is(request.key)
      ? this.#admitPublicly(publicKey, caller, access, request, nowMs)
      : this.#charge(caller, access, request, nowMs);
  }

  #charge({ ownLimits }: KnownKey, access: Access, request: AdmissionRequest, nowMs: number): Decision {
    return ownLimits === undefined
      ? this.#charger.charge(access, request, nowMs)
      : this.#keyCharger.charge(ownLimits, access, request);
  }

  // Anybody may send this key, so the allowance of the caller's network is checked first.
  #admitPublicly(publicKey: PublicKey, caller: KnownKey, access: Access, request: AdmissionRequest, nowMs: number): Decision {
    const problem = publicKey.take(request);
    if (problem !== undefined) {
      return refused(problem, undefined, access.principal.identity);
    }
    const withHint = (decision: Admitted | Refused): Admitted | Refused =>
      decision.admitted ? decision : { ...decision, problem: publicKey.withHint(decision.problem) };
    const decision = this.#charge(caller, access, request, nowMs);
    return decision instanceof Promise ? decision.then(withHint) : withHint(decision);
  }

  #counted(decision: Admitted | Refused, { service, isDryRun }: AdmissionRequest): Admitted | Refused {
    // A dry run is not a call, so its refusal is not counted.
    if (!decision.admitted && !isDryRun) {
      const { refusals, calendar, clock } = this.#options;
      const nowMs = clock.nowMs();
      const today = calendar.todayAt(nowMs);
      refusals.count(decision, service, today.day, hourOf(today, nowMs));
    }
    return decision;
  }

  // Returns why a caller may no longer call, whatever the limits say. Checks only the key, and charges nothing.
  async #check(request: AdmissionRequest): Promise<Refused | undefined> {
    const caller = await this.#callers.find(request);
    const access = "reason" in caller ? caller : accessOf(caller, request, this.#options.clock.nowMs());
    return "reason" in access ? refused(access) : undefined;
  }

  #refuseDefect(error: unknown): Refused {
    this.#options.log.error({ err: error }, "The guard has failed");
    return refused(internalProblem(error));
  }
}
