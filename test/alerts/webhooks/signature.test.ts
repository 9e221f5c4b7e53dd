// Signatures, against those of the convention's own library.
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { signedHeaders } from "../../../src/alerts/webhooks/signature.ts";

const secretOf = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;
const atMs = Date.UTC(2026, 10, 21, 12) + 987;

test.each(["{}", '{"type":"quota.threshold","data":{"plan":"größer"}}', ""])(
  "the body %j is signed as the library signs it",
  (body) => {
    const headers = signedHeaders({ id: "d7a2", atMs, body }, [secretOf(1)]);
    expect(headers).toEqual({
      "webhook-id": "d7a2",
      "webhook-timestamp": "1795262400",
      "webhook-signature": new Webhook(secretOf(1)).sign("d7a2", new Date(atMs), body),
    });
  },
);

test("two secrets sign side by side, the current one first", () => {
  const headers = signedHeaders({ id: "d7a2", atMs, body: "{}" }, [secretOf(2), secretOf(1)]);
  const signatures = [secretOf(2), secretOf(1)].map((secret) => new Webhook(secret).sign("d7a2", new Date(atMs), "{}"));
  expect(headers["webhook-signature"]).toBe(signatures.join(" "));
});
