// A request to create or rotate a key that is repeated with the same id, in the field or in the header, creates one key, in every protocol.
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, Person, placeOf } from "./person.ts";
import { A_KEY, A_TIME, AN_ID, badInput } from "./responses.ts";

// Each protocol has its own ids and names.
const uuid = (n: number): string => `5b0c3a2e-7f0e-4a51-9b7c-${String(n).padStart(12, "0")}`;
const NOT_THE_HEADERS = "must be the same as the Idempotency-Key header";
const NO_KEY = "must be 1 to 64 visible ASCII characters without quotation marks, and the Idempotency-Key header is not";
const REUSED = badInput({
  field: "idempotency_key",
  description: "was sent with another request; generate a new one for each key that you create",
});

let gateway: Gateway;
let session: Headers;
beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
  session = await new Person(placeOf(gateway), rest).begin("eve@example.com");
});
afterAll(() => gateway.close());

const withKey = (key: string | undefined): Headers => ({ ...session, ...(key !== undefined && { "idempotency-key": key }) });

async function keysNamed(name: string): Promise<readonly object[]> {
  const { results } = await new Person(placeOf(gateway), rest).take<{ results: { name: string }[] }>(METHODS.listKeys, {}, session);
  return results.filter((key) => key.name === name);
}

describe.each(
  CLIENTS.map((client, number) => {
    const [id, otherId, rotationId] = [0, 1, 2].map((index) => (index === 2 ? `rotation:${number}` : uuid(3 * number + index))) as [
      string,
      string,
      string,
    ];
    return { name: client.name, client, id, otherId, rotationId };
  }),
)("by $name", ({ name: protocol, client, id, otherId, rotationId }) => {
  test("a repeated call, by field or header, returns the key that it created, without its secret", async () => {
    const person = new Person(placeOf(gateway), client);
    const name = `${protocol} once`;
    const none = { services: [], notes: "", allowed_addresses: [], allowed_origins: [] };
    const shown = { name, prefix: "qk_live_", last_four: expect.any(String), ...none, state: "active" };
    const created = await person.get<{ key: object; secret: string }>(
      METHODS.createKey,
      { name, idempotency_key: id },
      { key: { id: AN_ID, created_at: A_TIME, ...shown }, secret: A_KEY },
      session,
    );
    const repeats: readonly (readonly [JsonObject, string?])[] = [
      [{ idempotency_key: id }],
      [{}, id],
      [{}, `"${id}"`],
      [{ idempotency_key: id }, id],
    ];
    for (const [input, header] of repeats) {
      await person.get(METHODS.createKey, { name, ...input }, { key: created.key, secret: "" }, withKey(header));
      await person.fail(METHODS.createKey, { name: `${name} more`, ...input }, REUSED, withKey(header));
      await person.fail(METHODS.createKey, { name, services: ["radio"], ...input }, REUSED, withKey(header));
      await person.fail(METHODS.createKey, { name, notes: "other", ...input }, REUSED, withKey(header));
      await person.fail(METHODS.createKey, { name, allowed_addresses: ["10.0.0.1"], ...input }, REUSED, withKey(header));
    }
    expect(await keysNamed(name)).toEqual([created.key]);
    await person.take(METHODS.createKey, { name, idempotency_key: otherId }, session);
    expect(await keysNamed(name)).toHaveLength(2);
  });

  test("a repeated rotation, by field or header, returns both keys, without the secret, and the new one can be rotated again", async () => {
    const person = new Person(placeOf(gateway), client);
    const name = `${protocol} rotated`;
    const { key } = await person.take<{ key: { id: string } }>(METHODS.createKey, { name }, session);
    const input = { key_id: key.id, grace_seconds: 0, idempotency_key: rotationId };
    const first = await person.take<{ old: object; next: { id: string }; secret: string }>(METHODS.rotateKey, input, session);
    expect(first.secret).toMatch(/^qk_live_/);
    const repeats: readonly (readonly [JsonObject, string?])[] = [
      [{ idempotency_key: rotationId }],
      [{}, rotationId],
      [{}, `"${rotationId}"`],
      [{ idempotency_key: rotationId }, rotationId],
    ];
    const rotation = { key_id: key.id, grace_seconds: 0 };
    for (const [given, header] of repeats) {
      await person.get(METHODS.rotateKey, { ...rotation, ...given }, { ...first, secret: "" }, withKey(header));
      await person.fail(METHODS.rotateKey, { ...rotation, grace_seconds: 1, ...given }, REUSED, withKey(header));
      await person.fail(METHODS.rotateKey, { ...rotation, key_id: first.next.id, ...given }, REUSED, withKey(header));
      await person.fail(METHODS.createKey, { name, ...given }, REUSED, withKey(header));
    }
    expect(await keysNamed(name)).toEqual([first.old, first.next]);
    const again = await person.take<{ secret: string }>(METHODS.rotateKey, { key_id: first.next.id, grace_seconds: 0 }, session);
    expect(again.secret).toMatch(/^qk_live_/);
  });

  test.each<readonly [what: string, input: JsonObject, header: string | undefined, description: string]>([
    ["two ids", { idempotency_key: id }, otherId, NOT_THE_HEADERS],
    ["a header with a space", {}, "once more", NO_KEY],
    ["a header with only one quotation mark", {}, `"${id}`, NO_KEY],
    ["a header of 65 characters", {}, "0".repeat(65), NO_KEY],
    ["a field of 65 characters", { idempotency_key: "0".repeat(65) }, undefined, "must be at most 64 characters long, not 65"],
  ])("a call with %s creates no key", async (what, input, header, description) => {
    const name = `${protocol} ${what}`;
    const person = new Person(placeOf(gateway), client);
    const refused = badInput({ field: "idempotency_key", description });
    await person.fail(METHODS.createKey, { name, ...input }, refused, withKey(header));
    expect(await keysNamed(name)).toEqual([]);
  });
});
