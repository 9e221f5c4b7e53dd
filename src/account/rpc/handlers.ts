// The types of the account services' handlers. They run in the thread that owns the store, so their inputs and outputs are messages that
// can be sent between threads.
import type { DescMethodServerStreaming, DescMethodUnary, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import type { BillingService } from "../../../gen/quintet/account/v1/billing_pb.js";
import type { KeyService } from "../../../gen/quintet/account/v1/key_pb.js";
import type { MemberService } from "../../../gen/quintet/account/v1/member_pb.js";
import type { ProfileService } from "../../../gen/quintet/account/v1/profile_pb.js";
import type { UsageService } from "../../../gen/quintet/account/v1/usage_pb.js";
import type { WebhookService } from "../../../gen/quintet/account/v1/webhook_pb.js";
import { Failure } from "../../problem/failure.ts";
import type { MemberRole } from "../../store/owner-records.ts";

import type { AdminStore } from "../../store/store.ts";
import { StoreConflict } from "../../store/store-errors.ts";
import { stateForbids } from "../refusals.ts";

/** A caller with a session. */
export interface SignedIn {
  /** The account that the call works on. */
  readonly accountId: string;
  /** The caller's own account. */
  readonly personId: string;
  /** What the caller may do with the account that the call works on. */
  readonly role: MemberRole;
  /** The session's token. Only the methods of Sessions may use it. */
  readonly token: string;
  /** The address of the connection, for the audit trail. */
  readonly peer: string;
  /** The `idempotency-key` header, as sent. */
  readonly idempotencyKey?: string | undefined;
}

/** The store, which names the caller in the audit trail as the person who made a change. */
export const asOwner = (store: AdminStore, { accountId, personId, peer }: SignedIn): AdminStore =>
  store.by({ kind: accountId === personId ? "owner" : "member", name: personId, origin: peer });

/** Rejects with a Failure if this is not the password of the caller's own account, after counting the guess. */
export type RequirePassword = (who: SignedIn, password: string) => Promise<void>;

/** What the handler of a stream must check while the stream is open. */
export interface StreamCall {
  /** Aborts when the stream is over, for whatever reason. */
  readonly signal: AbortSignal;
  /** Rejects with a Failure once the caller's session has ended, or as the store does. */
  readonly requireSession: () => Promise<unknown>;
}

/** One handler for each method of a service. They reject with a Failure, or as the store does. */
export type Handlers<Desc extends DescService, Who> = {
  readonly [Name in keyof Desc["method"]]: Desc["method"][Name] extends DescMethodUnary<infer Input, infer Output>
    ? (input: MessageShape<Input>, who: Who) => Promise<MessageInitShape<Output>>
    : Desc["method"][Name] extends DescMethodServerStreaming<infer Input, infer Output>
      ? (input: MessageShape<Input>, who: Who, call: StreamCall) => AsyncIterable<MessageInitShape<Output>>
      : never;
};

/** The handlers of all services for customers with a session. */
export type AccountHandlers = Handlers<typeof AccountService, SignedIn> &
  Handlers<typeof BillingService, SignedIn> &
  Handlers<typeof KeyService, SignedIn> &
  Handlers<typeof UsageService, SignedIn> &
  Handlers<typeof WebhookService, SignedIn> &
  Handlers<typeof MemberService, SignedIn> &
  Handlers<typeof ProfileService, SignedIn>;

/** Runs `work`. A StoreConflict becomes a Failure that names `subject`, a field of the input or the account. */
export async function failOnConflict<Result>(subject: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreConflict) {
      throw new Failure(stateForbids(subject, error.message));
    }
    throw error;
  }
}

/** The account has no such key or subscription. */
export function notFound(what: string, id: string): Failure {
  return new Failure({ reason: "NOT_FOUND", message: `The account has no ${what} with the ID ${id}.` });
}

// The largest `offset` that a request for alerts or deliveries may have.
const OFFSET_MAX = 10_000;

/** Where the page after the one at `offset` begins, if another follows. */
export const following = (hasMore: boolean, offset: number, limit: number): { readonly nextOffset?: number } =>
  hasMore && offset + limit <= OFFSET_MAX ? { nextOffset: offset + limit } : {};

/** The fields that describe a page of a list: it begins at `offset` and has `count` of `total` rows. */
export const pageOf = (count: number, total: number, offset: number): { readonly total: number; readonly nextOffset?: number } => ({
  total,
  ...(offset + count < total && { nextOffset: offset + count }),
});
