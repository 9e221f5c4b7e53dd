// The requests that created keys, by the ids that their callers generated (https://google.aip.dev/155): a repeated request finds the key
// and does not create another. Each function runs in the given transaction, which has locked the account: if the same request arrives twice
// at once, even on two servers, one request finds the key that the other created.
import type { KeyRequest } from "../records.ts";
import type { Queries } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import type { DatedTable } from "./expired-counts.ts";

/** The table, for deleting expired rows. */
export const KEY_REQUESTS: DatedTable = { table: "key_requests", key: ["account_id", "request_id"], time: "made_at_ms" };

const KEPT_MS = 86_400_000;

/** Requests since this time are remembered. */
export const firstRequestKept = (nowMs: number): number => nowMs - KEPT_MS;

/** An account has used the id of an earlier request for a different one. */
export class RequestIdReused extends StoreConflict {}

/** The id of the key that the request has already created. RequestIdReused if a different request had this id. */
export async function keyCreatedBy(
  db: Queries,
  accountId: string,
  { id, inputHash }: KeyRequest,
  nowMs: number,
): Promise<string | undefined> {
  const before = await db
    .selectFrom("key_requests")
    .select(["asked", "key_id"])
    .where("account_id", "=", accountId)
    .where("request_id", "=", id)
    .where("made_at_ms", ">=", firstRequestKept(nowMs))
    .executeTakeFirst();
  if (before !== undefined && before.asked !== inputHash) {
    throw new RequestIdReused("was sent with another request; generate a new UUID for each key that you create");
  }
  return before?.key_id;
}

/** Records which key a request has created. */
export async function rememberRequest(
  db: Queries,
  accountId: string,
  { id, inputHash }: KeyRequest,
  keyId: string,
  nowMs: number,
): Promise<void> {
  const row = { asked: inputHash, key_id: keyId, made_at_ms: nowMs };
  await db
    .insertInto("key_requests")
    .values({ account_id: accountId, request_id: id, ...row })
    // The existing row has expired.
    .onConflict((conflict) => conflict.columns(["account_id", "request_id"]).doUpdateSet(row))
    .execute();
}
