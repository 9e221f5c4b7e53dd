// How every admitted call ends, in every protocol: with its result, with a failure, at its deadline, or because its caller has
// disconnected. Only the first of these counts. The call is settled once, at that time, with the outcome that its caller is about to see.
// If a thread dies right after that, a caller may pay for a response that never arrives, but no response is ever free.

import { limitHeaders } from "@quintet/guard";
import type { Admitted } from "../../guard/guard.ts";
import type { Problem } from "../../problem/problem.ts";
import { REASONS, type Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Operation } from "../operation.ts";
import type { HandlerMetadata } from "./response-metadata.ts";

export interface LifecycleOptions {
  readonly clock: Clock;
  readonly log: Log;
}

type Outcome = "OK" | Reason;

const CANCELLED: Problem = { reason: "CANCELLED", message: "The caller has disconnected." };

/** One admitted call. A pipeline extends it with the call's steps. */
export abstract class CallLifecycle<OwnOperation extends Operation = Operation> {
  protected readonly operation: OwnOperation;
  protected readonly clock: Clock;
  readonly #log: Log;
  #outcome: Outcome | undefined;
  #cancelDeadline: (() => void) | undefined;

  constructor(operation: OwnOperation, { clock, log }: LifecycleOptions) {
    this.operation = operation;
    this.clock = clock;
    this.#log = log;
  }

  /** Whether the call has ended. From then on, whatever its handler does is ignored. */
  get ended(): boolean {
    return this.#outcome !== undefined;
  }

  /** Settles the call with its result. Returns false, and does nothing, if it has already ended. */
  complete(): boolean {
    if (this.ended) {
      return false;
    }
    this.#end("OK");
    return true;
  }

  /**
   * Ends the call with a problem: settles it, logs a defect of ours and responds to the caller. Does nothing if it has already
   * ended.
   */
  fail(problem: Problem): void {
    if (this.ended) {
      return;
    }
    this.#end(problem.reason);
    if (problem.reason === "INTERNAL") {
      this.logDefect(problem.cause, "a call failed because of a defect");
    }
    this.respondWithFailure(problem);
  }

  /** Watches for the caller to disconnect. Returns false if they did so during the access check: the call has then ended. */
  protected begin(): boolean {
    const { operation } = this;
    operation.observer?.started(operation);
    operation.exchange.onEnd((completed) => {
      if (!completed) {
        this.fail(CANCELLED);
      }
      // The outcome is always known here: a response is fully sent only after its call has ended.
      operation.observer?.ended(operation, this.#outcome ?? "INTERNAL", false);
    });
    return !this.ended;
  }

  /**
   * Fails the call after this many milliseconds, or at once if there are none left: a quick handler could respond before any
   * timer.
   */
  protected startDeadline(timeoutMs: number, deadlineExceeded: (timeoutMs: number) => Problem): void {
    if (timeoutMs === 0) {
      this.fail(deadlineExceeded(timeoutMs));
    } else {
      this.#cancelDeadline = this.clock.after(timeoutMs, () => this.fail(deadlineExceeded(timeoutMs)));
    }
  }

  /** Ends the handler's work and sends the problem, as far as either is still possible. The call is already settled. */
  protected abstract respondWithFailure(problem: Problem): void;

  /** Settles the call, and releases what was held for it. Called exactly once. */
  protected settle(outcome: Outcome): void {
    this.settleAdmission(this.operation.admitted, outcome);
  }

  /** Settles an admission of this call. If that refunds the call, updates the response's headers, which may not have been sent yet. */
  protected settleAdmission(admission: Admitted, outcome: Outcome): void {
    admission.settle(outcome);
    const { limits } = admission;
    if (limits !== undefined && outcome !== "OK" && !REASONS[outcome].charged && !this.operation.isDryRun) {
      this.operation.headers.ratelimit = limitHeaders({ ...limits, monthRemaining: limits.monthRemaining + 1 }).ratelimit;
    }
  }

  /** Sends the problem with the headers and trailers that the handler has set, or without them if they cannot be sent. */
  protected sendFailure(problem: Problem, metadata: HandlerMetadata | undefined): void {
    const { exchange, codec, headers } = this.operation;
    try {
      codec.fail(exchange, problem, headers, metadata);
    } catch (thrown) {
      this.logDefect(thrown, "responding with a handler's headers failed");
      const { reason, message } = problem;
      codec.fail(exchange, { reason, message }, headers);
    }
  }

  protected logDefect(err: unknown, text: string): void {
    const { exchange, method } = this.operation;
    this.#log.error({ err, method: method.fullName, request_id: exchange.requestId }, text);
  }

  #end(outcome: Outcome): void {
    this.#outcome = outcome;
    this.#cancelDeadline?.();
    this.settle(outcome);
  }
}
