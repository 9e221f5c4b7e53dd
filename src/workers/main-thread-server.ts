// The main thread's end of the messages with a worker thread: responds to requests about the store, the leases and the accounts, which the
// main thread owns.

import type { Message } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { CallFeed } from "../account/watch/call-feed.ts";
import type { CallLog } from "../account/watch/call-log.ts";
import type { CallBatch } from "../account/watch/call-record.ts";
import type { ReceivePaymentEvent } from "../gateway/payment-endpoint.ts";
import { WaitQueue } from "../guard/breaker/wait-queue.ts";
import type { GuardLimits } from "../guard/guard-limits.ts";
import { accountOf } from "../guard/keys/access.ts";
import type { LeaseOwner } from "../guard/lease-owner.ts";
import type { Allowance } from "../guard/quota/allowances.ts";
import { problemOf } from "../problem/failure.ts";
import type { Day } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Credential } from "../store/records.ts";
import type { GuardStore } from "../store/store.ts";
import { StoreConflict, StoreUnavailable } from "../store/store-errors.ts";
import type { LoggedCall } from "../store/usage-records.ts";
import { decodedCall, type EncodedAccountCall, encodedOutput } from "./account-messages.ts";
import type { FailureMessage, LeaseClaim, LeaseSlot, MainThreadRequest, MainThreadResponse } from "./messages.ts";

// The main thread's side of the account services' streams that worker threads read. A thread requests one message at a time, so messages
// that it has not read yet wait at the source, where their number is bounded.
interface OpenStream {
  readonly thread: number;
  readonly method: string;
  readonly messages: AsyncIterator<Message>;
  readonly controller: AbortController;
}

/** The open streams of all threads. */
export class AccountStreams {
  readonly #accountRpc: AccountRpc;
  readonly #open = new Map<number, OpenStream>();
  #last = 0;

  constructor(accountRpc: AccountRpc) {
    this.#accountRpc = accountRpc;
  }

  /** Begins a stream for a thread, and returns its number. The stream does no work before its first message is requested. */
  begin(thread: number, call: EncodedAccountCall): number {
    const controller = new AbortController();
    this.#last += 1;
    const messages = this.#accountRpc.stream(decodedCall(call), controller.signal)[Symbol.asyncIterator]();
    this.#open.set(this.#last, { thread, method: call.method, messages, controller });
    return this.#last;
  }

  /** The stream's next message; undefined once it has ended. Rejects as the account RPC does. */
  async next(stream: number): Promise<Uint8Array | undefined> {
    const { method, messages } = this.#open.get(stream) ?? {};
    const next = await messages?.next();
    return method === undefined || next === undefined || next.done === true ? undefined : encodedOutput(method, next.value);
  }

  /** Ends a stream, unless it has already ended. */
  end(stream: number): void {
    const open = this.#open.get(stream);
    this.#open.delete(stream);
    open?.controller.abort();
    // The generator resumes where it waited, and can only fail there, because its signal has aborted.
    void open?.messages.return?.().catch(() => {});
  }

  /** Ends the streams of a thread that has died. */
  endAll(thread: number): void {
    for (const [stream, open] of this.#open) {
      if (open.thread === thread) {
        this.end(stream);
      }
    }
  }
}

interface MainThreadServerOptions {
  readonly store: Pick<GuardStore, "findCredential" | "addUsage" | "addRefusals">;
  readonly leaseOwner: LeaseOwner;
  readonly accountRpc: AccountRpc;
  /** Receives events from Stripe; undefined if customers cannot pay by card. */
  readonly receivePaymentEvent?: ReceivePaymentEvent | undefined;
  /** Receives the watched calls. */
  readonly callFeed: Pick<CallFeed, "add">;
  /** Receives the calls for the log of their accounts. */
  readonly callLog: Pick<CallLog, "add">;
  readonly clock: Clock;
  readonly limits: GuardLimits;
  /** Adds lines to the access log; undefined if there is none. */
  readonly writeAccessLog?: ((lines: string) => void) | undefined;
}

/** Responds to worker threads. */
export class MainThreadServer {
  readonly #options: MainThreadServerOptions;
  readonly #streams: AccountStreams;

  constructor(options: MainThreadServerOptions) {
    this.#options = options;
    this.#streams = new AccountStreams(options.accountRpc);
  }

  /** Handles a thread's request. Rejects as the store does. */
  async respond(request: MainThreadRequest, thread: number): Promise<MainThreadResponse> {
    switch (request.kind) {
      case "credential":
        return this.#credential(request.input);
      case "leaseSlot":
        return leaseSlotOf(this.#allowance(request.input));
      case "spend":
        return (await this.#allowance(request.input)?.spendLater()) ?? "unavailable";
      case "monthStatus":
        await this.#allowance(request.input)?.awaitStatus();
        return undefined;
      case "accountAdmission":
        return this.#options.accountRpc.admit(request.input.method, request.input.caller);
      case "accountCall":
        return encodedOutput(request.input.method, await this.#options.accountRpc.call(decodedCall(request.input)));
      case "accountStream":
        return this.#streams.begin(thread, request.input);
      case "accountStreamNext":
        return this.#streams.next(request.input);
      case "paymentEvent":
        return (await this.#options.receivePaymentEvent?.(request.input)) ?? "refused";
      case "usage":
        await this.#options.store.addUsage(request.input.counts, request.input.id);
        return undefined;
      case "refusals":
        await this.#options.store.addRefusals(request.input.counts, request.input.id);
        return undefined;
    }
  }

  /** Undoes a request whose thread died before it could get the response: refunds the call and ends the stream. */
  undoUndelivered(request: MainThreadRequest, response: MainThreadResponse): void {
    if (request.kind === "accountStream") {
      this.#streams.end(response as number);
    }
    if (request.kind === "spend" && typeof response === "object" && "leaseId" in response) {
      this.refund(request.input.key, response.day, response.leaseId);
    }
  }

  /** Refills leases, or returns the excess of leases that hold too many calls. */
  refill(keys: readonly string[]): void {
    for (const key of keys) {
      this.#options.leaseOwner.allowances.current(key)?.refill();
    }
  }

  /** Refunds a call. It stays charged if the subscription is no longer in use. */
  refund(key: string, day: Day, leaseId: number): void {
    this.#options.leaseOwner.allowances.current(key)?.refund(day, leaseId, 1);
  }

  log(lines: string): void {
    this.#options.writeAccessLog?.(lines);
  }

  /** Ends a stream that no longer has a reader. */
  endAccountStream(stream: number): void {
    this.#streams.end(stream);
  }

  /** Passes calls to their watchers. */
  addWatchedCalls(batches: readonly CallBatch[]): void {
    this.#options.callFeed.add(batches);
  }

  /** Writes calls to the log of their accounts. */
  logCalls(calls: readonly LoggedCall[]): void {
    this.#options.callLog.add(calls);
  }

  /** Refunds the calls that a dead thread had in progress, since they failed on our side, and ends its streams. */
  settle(thread: number): void {
    this.#streams.endAll(thread);
    const { allowances, inFlight } = this.#options.leaseOwner;
    allowances.refundAll(inFlight.takeAll(thread));
  }

  // Callers wait for this, so it does not wait for a store that does not respond.
  async #credential(keyHash: string): Promise<Credential | undefined> {
    const { store, leaseOwner, clock, limits } = this.#options;
    const unavailable = new StoreUnavailable("The store does not respond.");
    if (!leaseOwner.breaker.admits()) {
      throw unavailable;
    }
    const queue = new WaitQueue<Credential | undefined | Error>(clock, limits, leaseOwner.breaker, unavailable);
    const waiting = queue.wait();
    leaseOwner.breaker
      .run(() => store.findCredential(keyHash))
      .then(
        (found) => queue.resolveAll(found),
        (error: Error) => queue.resolveAll(error),
      );
    const found = await waiting;
    if (found instanceof Error) {
      throw found;
    }
    return found;
  }

  // A worker that does not know the last change yet must not restore the previous plan. It will request the lease again once it knows.
  #allowance({ key, subject, terms, epoch }: LeaseClaim): Allowance | undefined {
    const { leaseOwner } = this.#options;
    const current = epoch === leaseOwner.epoch.of(accountOf(key)) ? undefined : leaseOwner.allowances.current(key);
    return current ?? leaseOwner.allowances.of(key, subject, terms);
  }
}

const leaseSlotOf = (allowance: Allowance | undefined): LeaseSlot | undefined =>
  allowance && { slot: allowance.slot, generation: allowance.generation };

/** The form in which a worker gets an error. */
export function failureOf(error: unknown): FailureMessage {
  const message = error instanceof Error ? error.message : String(error);
  const problem = error instanceof ConnectError ? problemOf(error) : undefined;
  if (problem !== undefined && problem.reason !== "INTERNAL") {
    // The cause is for this thread's log, and not every error can be sent to another thread.
    const { cause: _, originalError: __, ...sendable } = problem;
    return { failure: "problem", problem: sendable };
  }
  if (error instanceof StoreUnavailable) {
    return { failure: "unavailable", message };
  }
  return { failure: error instanceof StoreConflict ? "conflict" : "defect", message };
}
