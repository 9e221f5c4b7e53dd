// The main thread's side of the workers' questions: it owns the store and the leases, and answers for both.

import { ConnectError } from "@connectrpc/connect";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { Plans } from "../catalogue/plans.ts";
import { WaitQueue } from "../guard/breaker/wait-queue.ts";
import type { GuardLimits } from "../guard/guard-limits.ts";
import { accountOf } from "../guard/keys/access.ts";
import type { LeaseOwner } from "../guard/lease-owner.ts";
import type { Allowance } from "../guard/quota/allowance.ts";
import type { Day } from "../guard/quota/month.ts";
import { problemOf } from "../problem/failure.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Credential } from "../store/records.ts";
import type { GuardStore } from "../store/store.ts";
import { StoreConflict, StoreUnavailable } from "../store/store-errors.ts";
import { admitToOffice, callAccountRpc } from "./account-rpc-proxy.ts";
import type { FailureMessage, LeaseClaim, LeasePlace, MainThreadRequest } from "./messages.ts";

/** What the main thread works with. */
export interface MainThreadServerOptions {
  readonly store: Pick<GuardStore, "findCredential" | "addUsage">;
  readonly leaseOwner: LeaseOwner;
  readonly plans: Plans;
  readonly accountRpc: AccountRpc;
  readonly clock: Clock;
  readonly limits: GuardLimits;
}

/** Answers workers. */
export class MainThreadServer {
  readonly #options: MainThreadServerOptions;

  constructor(options: MainThreadServerOptions) {
    this.#options = options;
  }

  /** Answers a question. Rejects as the store does. */
  async answer(question: MainThreadRequest): Promise<unknown> {
    switch (question.about) {
      case "credential":
        return this.#credential(question.asked);
      case "place":
        return placeOf(this.#allowance(question.asked));
      case "call":
        return (await this.#allowance(question.asked)?.spendLater()) ?? "unavailable";
      case "month":
        await this.#allowance(question.asked)?.awaitStatus();
        return undefined;
      case "admission":
        return admitToOffice(this.#options.accountRpc, question.asked);
      case "account":
        return callAccountRpc(this.#options.accountRpc, question.asked);
      case "usage":
        return this.#options.store.addUsage(question.asked);
    }
  }

  /** An answer could not be told, for who asked has died: what it gave is taken back. */
  takeBackUndelivered(question: MainThreadRequest, answer: unknown): void {
    if (question.about === "call" && typeof answer === "object" && answer !== null) {
      const { day, leaseId } = answer as { day: Day; leaseId: number };
      this.takeBack(question.asked.key, day, leaseId);
    }
  }

  /** Looks after a lease. */
  refill(key: string): void {
    this.#options.leaseOwner.allowances.present(key)?.refill();
  }

  /** Takes back a call that was charged. Where nobody uses the subscription any more it stays charged. */
  takeBack(key: string, day: Day, leaseId: number): void {
    this.#options.leaseOwner.allowances.present(key)?.takeBack(day, leaseId, 1);
  }

  /** Settles what a thread that has died left under way: its calls failed on our side, so they are refunded. */
  settle(thread: number): void {
    const { allowances, inFlight } = this.#options.leaseOwner;
    allowances.reclaim(inFlight.takeAll(thread));
  }

  // Callers wait behind this, so it does not wait for a store that has fallen silent.
  async #credential(keyHash: string): Promise<Credential | undefined> {
    const { store, leaseOwner, clock, limits } = this.#options;
    const unavailable = new StoreUnavailable("The store does not answer.");
    if (!leaseOwner.breaker.admits()) {
      throw unavailable;
    }
    const room = new WaitQueue<Credential | undefined | Error>(clock, limits, leaseOwner.breaker, unavailable);
    const waiting = room.wait();
    leaseOwner.breaker
      .ask(() => store.findCredential(keyHash))
      .then(
        (found) => room.answerAll(found),
        (error: Error) => room.answerAll(error),
      );
    const found = await waiting;
    if (found instanceof Error) {
      throw found;
    }
    return found;
  }

  // What a worker knew before the last change does not put another plan in force: it will ask again, knowing better.
  #allowance({ key, subscriptionId, service, plan: name, epoch }: LeaseClaim): Allowance | undefined {
    const { leaseOwner, plans } = this.#options;
    const present = epoch === leaseOwner.epoch.of(accountOf(key)) ? undefined : leaseOwner.allowances.present(key);
    const plan = plans.find(service, name);
    return present ?? (plan && leaseOwner.allowances.of(key, subscriptionId, plan));
  }
}

const placeOf = (allowance: Allowance | undefined): LeasePlace | undefined =>
  allowance && { slot: allowance.slot, generation: allowance.generation };

/** What a worker is told of an error. */
export function failureOf(error: unknown): FailureMessage {
  const message = error instanceof Error ? error.message : String(error);
  const problem = error instanceof ConnectError ? problemOf(error) : undefined;
  if (problem !== undefined && problem.reason !== "INTERNAL") {
    // What was thrown is for the log of this thread, and not every error can be sent.
    const { cause: _, asThrown: __, ...sendable } = problem;
    return { failure: "problem", problem: sendable };
  }
  if (error instanceof StoreUnavailable) {
    return { failure: "unavailable", message };
  }
  return { failure: error instanceof StoreConflict ? "conflict" : "defect", message };
}
