// Finds out who makes a call: the owner of its key, or the mesh principal of its client certificate. If a key is sent, only the key counts,
// valid or not: a caller who sends a key wants to call as its owner, and a certificate must not make up for a wrong key.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Problem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { NodeStatus } from "../store/node-status.ts";
import type { CallerRequest } from "./guard.ts";
import type { KnownKey } from "./keys/access.ts";
import type { CredentialLookup, Credentials } from "./keys/credentials.ts";
import { parseKey } from "./keys/key.ts";
import { keyMalformed, keyMissing, keyUnknown } from "./keys/key-refusals.ts";
import { type MeshCaller, principalAccountName } from "./mesh/mesh-caller.ts";
import { certificateExpired, principalUnknown, principalWithoutAccount } from "./mesh/mesh-refusals.ts";
import { keyStatusUnknown, limitsUnavailable } from "./refusals.ts";

// A connection is ended gracefully when its client's certificate expires: calls that are already on their way are accepted for this long.
const LATE_CALLS_MS = 10_000;

export interface CallersOptions {
  readonly credentials: Credentials;
  /** The internal credentials of mesh principals. They are kept apart from keys, so that nobody can send one instead of a key. */
  readonly principalCredentials: Credentials;
  readonly nodeStatus: NodeStatus;
  readonly clock: Clock;
}

export class Callers {
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
