// The attestation of a new passkey says who made its authenticator. We accept every maker, so nothing in it is checked. It must not be
// checked either: its certificates can name lists of revoked ones, and whoever checks them downloads the lists from URLs that the caller
// chose.
import type { RegistrationResponseJSON } from "@simplewebauthn/server";

/** The same credential with an empty attestation. Rejects if the attestation object is malformed. */
export async function withoutAttestation(credential: RegistrationResponseJSON): Promise<RegistrationResponseJSON> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import("@simplewebauthn/server/helpers");
  const given = decodeAttestationObject(isoBase64URL.toBuffer(credential.response.attestationObject));
  const bare = new Map<string, string | Uint8Array | Map<string, string>>([
    ["fmt", "none"],
    ["attStmt", new Map<string, string>()],
    ["authData", given.get("authData")],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(bare));
  return { ...credential, response: { ...credential.response, attestationObject } };
}
