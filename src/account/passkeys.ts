// Passkeys: an owner's authenticator signs a challenge, and asks its user for a fingerprint, a face or a PIN. So a passkey is enough to
// sign in, without the password and without a code. `@simplewebauthn/server` checks the signatures; it is loaded when first needed.

import { hashSecret } from "@quintet/guard";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { Failure } from "../problem/failure.ts";
import { invalidArgument } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";

import type { NewPasskey, Passkey } from "../store/owner-records.ts";
import type { AdminStore } from "../store/store.ts";
import { withoutAttestation } from "./passkey-attestation.ts";
import { passkeyOriginOf } from "./passkey-origin.ts";
import { stateForbids } from "./refusals.ts";

const CHALLENGE_BYTES = 32;
const CHALLENGE_LIFETIME_MS = 300_000;
// EdDSA, ES256 and RS256: what authenticators support.
const ALGORITHMS = [-8, -7, -257];

interface PasskeysOptions {
  readonly store: AdminStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Pick<Randomness, "bytes" | "uuid">;
  /** The origin of the pages; undefined if the operator has set none. Passkeys work on this origin only. */
  readonly publicUrl: string | undefined;
}

/** What a passkey's signed challenge proves. */
export interface VerifiedPasskey {
  readonly passkey: Passkey;
  /** The authenticator's new count of signatures. */
  readonly counter: number;
}

/** Passkeys. Methods reject with a Failure that the owner can understand, and as the store does. */
export class Passkeys {
  readonly #options: PasskeysOptions;

  constructor(options: PasskeysOptions) {
    this.#options = options;
  }

  /** Options for the browser to create a passkey for this account, as JSON. */
  async creationOptions(accountId: string, email: string): Promise<string> {
    const { store } = this.#options;
    const { rpID } = this.#site();
    const { generateRegistrationOptions } = await loadLibrary();
    const known = await store.passkeysOf(accountId);
    const options = await generateRegistrationOptions({
      rpName: "Quintet",
      rpID,
      userName: email,
      userID: new TextEncoder().encode(accountId),
      challenge: await this.#challenge(accountId),
      timeout: CHALLENGE_LIFETIME_MS,
      excludeCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports: [...transports] })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return JSON.stringify(options);
  }

  /** Verifies the passkey that a browser has created for this account. */
  async verifyRegistration(accountId: string, credentialJson: string, name: string): Promise<NewPasskey> {
    const { origin, rpID } = this.#site();
    const response = credentialOf(credentialJson, "attestationObject") as RegistrationResponseJSON;
    const { verifyRegistrationResponse } = await loadLibrary();
    const expectedChallenge = await this.#takeChallenge(response, accountId);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: await withoutAttestation(response).catch(refuseProof),
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(refuseProof);
    if (!verified || registrationInfo === undefined) {
      throw invalidCredential();
    }
    const { id, publicKey, counter, transports } = registrationInfo.credential;
    return {
      ...{ id: this.#options.randomness.uuid(), accountId, credentialId: id, counter, name },
      publicKey: Buffer.from(publicKey).toString("base64url"),
      transports: transportsIn(transports),
    };
  }

  /** Options for the browser to sign in with any passkey that it has for this server, as JSON. */
  async requestOptions(): Promise<string> {
    const { rpID } = this.#site();
    const { generateAuthenticationOptions } = await loadLibrary();
    const challenge = await this.#challenge(null);
    const options = { rpID, challenge, timeout: CHALLENGE_LIFETIME_MS, userVerification: "required" } as const;
    return JSON.stringify(await generateAuthenticationOptions(options));
  }

  /** Verifies a sign-in, and returns the passkey that was used. */
  async verifySignIn(credentialJson: string): Promise<VerifiedPasskey> {
    const { origin, rpID } = this.#site();
    const response = credentialOf(credentialJson, "signature") as AuthenticationResponseJSON;
    const { verifyAuthenticationResponse } = await loadLibrary();
    const expectedChallenge = await this.#takeChallenge(response, null);
    const passkey = await this.#options.store.findPasskey(response.id);
    if (passkey === undefined) {
      throw invalidCredential("is not registered here. Sign in with your password");
    }
    const { credentialId: id, publicKey, counter, accountId } = passkey;
    // Required because nobody has said yet who signs in. https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion (step 6)
    const { userHandle } = response.response;
    if (typeof userHandle !== "string" || Buffer.from(userHandle, "base64url").toString() !== accountId) {
      throw invalidCredential("is not valid: its userHandle is not that of the passkey's owner");
    }
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      // The library refuses a count that has not grown: the authenticator was copied.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter },
    }).catch(refuseProof);
    if (!verified) {
      throw invalidCredential();
    }
    return { passkey, counter: authenticationInfo.newCounter };
  }

  async #challenge(accountId: string | null): Promise<Uint8Array<ArrayBuffer>> {
    const { store, clock, randomness } = this.#options;
    const challenge = Buffer.from(randomness.bytes(CHALLENGE_BYTES));
    const challengeHash = hashSecret(challenge.toString("base64url"));
    await store.addPasskeyChallenge({ challengeHash, accountId, expiresAtMs: clock.nowMs() + CHALLENGE_LIFETIME_MS });
    return new Uint8Array(challenge);
  }

  // The challenge that was signed. It works once, and only for the account that it was made for.
  async #takeChallenge(
    { response }: RegistrationResponseJSON | AuthenticationResponseJSON,
    accountId: string | null,
  ): Promise<string> {
    const challenge = challengeIn(response.clientDataJSON);
    const taken = await this.#options.store.takePasskeyChallenge(hashSecret(challenge));
    if (taken === undefined || taken.accountId !== accountId) {
      throw invalidCredential("is not valid: its challenge has expired or was already used. Try again");
    }
    return challenge;
  }

  #site(): { readonly origin: string; readonly rpID: string } {
    const origin = passkeyOriginOf(this.#options.publicUrl);
    if (origin === undefined) {
      throw new Failure(stateForbids("server", PASSKEYS_UNSUPPORTED));
    }
    return { origin, rpID: new URL(origin).hostname };
  }
}

const PASSKEYS_UNSUPPORTED = "This server does not support passkeys. Sign in with a password.";

const loadLibrary = () => import("@simplewebauthn/server");

const invalidCredential = (description = "is not valid: it was made on another site, or by another passkey"): Failure =>
  new Failure(invalidArgument([{ field: "credential_json", description }]));

/** The passkey was removed, or used by another sign-in, after its signature was checked. */
export const passkeyRemoved = (): Failure => invalidCredential("was removed or used in the meantime. Try again");

// The library throws if anything is wrong with the credential that a browser sent.
function refuseProof(): never {
  throw invalidCredential();
}

const MALFORMED_CREDENTIAL = "must be the JSON of a PublicKeyCredential, as its toJSON method returns it";

// Checks the fields that are read before the library checks the rest. `proof` is the field that only this kind of credential has.
function credentialOf(json: string, proof: "attestationObject" | "signature"): object {
  const credential = parsed(json) as { id?: unknown; response?: Record<string, unknown> } | undefined;
  const { clientDataJSON, [proof]: proven } = credential?.response ?? {};
  if (!isCredentialId(credential?.id) || typeof clientDataJSON !== "string" || typeof proven !== "string") {
    throw invalidCredential(MALFORMED_CREDENTIAL);
  }
  return { clientExtensionResults: {}, ...credential };
}

// In base64url, and of at most 1,023 bytes. https://www.w3.org/TR/webauthn-3/#credential-id
const isCredentialId = (id: unknown): boolean => typeof id === "string" && /^[\w-]{1,1364}$/.test(id);

// How a browser says that it reaches an authenticator. The library passes on whatever the credential has here.
const transportsIn = (transports: unknown): string[] =>
  (Array.isArray(transports) ? transports : [])
    .filter((transport) => typeof transport === "string" && /^[a-z-]{1,20}$/.test(transport))
    .slice(0, 8);

function challengeIn(clientDataJson: string): string {
  const data = parsed(Buffer.from(clientDataJson, "base64url").toString()) as { challenge?: unknown } | undefined;
  if (typeof data?.challenge !== "string") {
    throw invalidCredential(MALFORMED_CREDENTIAL);
  }
  return data.challenge;
}

function parsed(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
