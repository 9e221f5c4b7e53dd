// Codes from authenticator apps, as in RFC 6238: 6 digits, HMAC-SHA-1, a new one every 30 seconds. All apps support this; some apps ignore
// other parameters.
// https://www.rfc-editor.org/rfc/rfc6238 https://github.com/google/google-authenticator/wiki/Key-Uri-Format
import { Secret, TOTP } from "otpauth";
import type { Randomness } from "../runtime/randomness.ts";

// The length of an output of HMAC-SHA-1, as RFC 4226 recommends.
const SECRET_BYTES = 20;
const PERIOD_S = 30;
// Allows for a clock that is off by up to a step, and for a code that was typed slowly.
const STEP_TOLERANCE = 1;
const ISSUER = "Quintet";

/** A random secret, in base32: 32 letters and digits. */
export function generateTotpSecret(randomness: Pick<Randomness, "bytes">): string {
  const bytes = randomness.bytes(SECRET_BYTES);
  return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;
}

/** The URI that an app reads as a QR code. */
export const totpUri = (secret: string, email: string): string =>
  new TOTP({ issuer: ISSUER, label: email, secret, period: PERIOD_S }).toString();

/** The time step that a code belongs to; undefined unless that is the current one or the one before or after it. */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  // The library throws for six characters that take more than six bytes in UTF-8.
  if (!/^\d{6}$/.test(code)) {
    return undefined;
  }
  const totp = new TOTP({ secret, period: PERIOD_S });
  const delta = totp.validate({ token: code, timestamp: nowMs, window: STEP_TOLERANCE });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}
