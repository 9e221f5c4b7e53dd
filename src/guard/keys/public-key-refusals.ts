// Why a call with the public key is refused, and what its caller can do: get a key of their own.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Problem } from "../../problem/problem.ts";

/** What follows each refusal of the public key. */
export const ownKeyHint = "This key is public, for trying the API. For a key of your own, sign up: POST /account/v1/sign-up.";

/** The method writes, or it is not a method of a data service. `service` is undefined if no service is called. */
export const publicKeyOnlyReads = (service: ServiceName | undefined): Problem => ({
  reason: "KEY_SERVICE_REFUSED",
  message: `The public key may only call read-only methods of the data services. ${ownKeyHint}`,
  ...(service !== undefined && { metadata: { service } }),
});

/** The caller's network has used up its calls. `allowed`: such as `60 per minute`. `waitMs`: until the next one. */
export const publicKeyLimited = (service: ServiceName, waitMs: number, allowed: string): Problem => ({
  reason: "RATE_LIMITED",
  message: `Calls with the public key are limited to ${allowed} from one network; retry in ${Math.max(1, Math.ceil(waitMs / 1000))} s. ${ownKeyHint}`,
  retryAfterMs: Math.ceil(waitMs),
  metadata: { service },
});
