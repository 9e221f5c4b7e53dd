// Signs requests to webhook endpoints according to the Standard Webhooks convention, so that customers can verify them with its libraries.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { createHmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";

export interface SignedMessage {
  /** The `webhook-id` header. */
  readonly id: string;
  /** When this attempt is made. */
  readonly atMs: number;
  readonly body: string;
}

/** The headers of a request, signed with each of the secrets. */
export function signedHeaders({ id, atMs, body }: SignedMessage, secrets: readonly string[]): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signatures = secrets.map((secret) => `v1,${signatureOf(`${id}.${timestamp}.${body}`, secret)}`);
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

const signatureOf = (signed: string, secret: string): string =>
  createHmac("sha256", Buffer.from(secret.slice(SECRET_PREFIX.length), "base64"))
    .update(signed)
    .digest("base64");
