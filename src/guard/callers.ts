// Finds out who makes a call: the owner of its key, or the mesh principal of its client certificate. A key that is sent decides alone, good or bad:
// a caller who sends one wants to call as its owner, and a certificate must not make up for a wrong one.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Problem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { NodeStatus } from "../store/node-status.ts";
import type { AdmissionRequest } from "./guard.ts";
import { type Access, accessOf, type KnownKey } from "./keys/access.ts";
import type { CredentialLookup, Credentials } from "./keys/credentials.ts";
import { parseKey } from "./keys/key.ts";
import { keyMalformed, keyMissing, keyUnknown } from "./keys/key-refusals.ts";
import { type MeshCaller, principalAccountName } from "./mesh/mesh-caller.ts";
import { certificateExpired, principalNotReady, principalRefused, principalUnknown } from "./mesh/mesh-refusals.ts";
import { keyStatusUnknown, limitsUnavailable } from "./refusals.ts";

// A connection is ended gracefully when its client's certificate expires: calls that were on their way are still taken for so long.
const LATE_CALLS_MS = 10_000;

/** What finding callers works with. */
export interface CallersDependencies {
  readonly credentials: Credentials;
  /** The internal credentials of mesh principals. They are not among the others, so that nobody can name one in place of a key. */
  readonly principalCredentials: Credentials;
  readonly nodeStatus: NodeStatus;
  readonly clock: Clock;
}

/** Finds callers. */
export class Callers {
  readonly #dependencies: CallersDependencies;

  constructor(dependencies: CallersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Who makes a call, or why nobody may make it. At once where that is in memory. The promise never rejects. */
  find(request: AdmissionRequest): KnownKey | Problem | Promise<KnownKey | Problem> {
    const mesh = meshOf(request);
    return mesh === undefined ? this.#findOwner(request) : this.#findPrincipal(mesh, request);
  }

  /** The access to a service, at `nowMs`, of a caller who was found, or why there is none. */
  accessOf(caller: KnownKey, request: AdmissionRequest, nowMs: number): Access | Problem {
    const access = accessOf(caller, request.service, nowMs);
    const principal = meshOf(request)?.principal;
    return "reason" in access && principal !== undefined ? principalRefused(principal, request.service, access) : access;
  }

  #findOwner({ key, address, service }: AdmissionRequest): KnownKey | Problem | Promise<KnownKey | Problem> {
    const { credentials } = this.#dependencies;
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
        // The store was silent for too long: what is remembered of the key may have changed.
        return isStale
          ? keyStatusUnknown(service)
          : credentials.find(parsed.key, address).then((found) => callerOr(found, service, keyUnknown));
    }
  }

  #findPrincipal({ principal, certificate }: MeshCaller, { address, service }: AdmissionRequest): ReturnType<Callers["find"]> {
    const { principalCredentials, clock } = this.#dependencies;
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
    const unknown = (): Problem => principalNotReady(principal, service);
    return remembered === undefined
      ? principalCredentials.find(id, address).then((found) => callerOr(found, service, unknown))
      : callerOr(remembered, service, unknown);
  }

  #isStale(): boolean {
    const { nodeStatus, clock } = this.#dependencies;
    return nodeStatus.canMissChanges && nodeStatus.isStale(clock.monotonicMs());
  }
}

// The certificate of a caller who sends no key.
const meshOf = ({ key, mesh }: AdmissionRequest): MeshCaller | undefined => (key === undefined || key === "" ? mesh : undefined);

function callerOr(found: CredentialLookup, service: ServiceName, unknown: () => Problem): KnownKey | Problem {
  return found === "unknown" ? unknown() : found === "unavailable" ? limitsUnavailable(service) : found;
}
