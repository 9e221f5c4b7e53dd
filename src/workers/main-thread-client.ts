// A worker's way to the main thread.
import type { MessagePort } from "node:worker_threads";
import { Failure } from "../problem/failure.ts";
import { StoreConflict, StoreUnavailable } from "../store/store-errors.ts";
import type { FailureMessage, MainThreadRequests, MessageFromWorker, MessageToWorker } from "./messages.ts";

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** An order of the main thread. */
export type MainThreadCommand = Exclude<MessageToWorker, { readonly kind: "answer" | "failure" }>;

/** The way to the main thread, which answers every question. */
export class MainThreadClient {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  /** `onOrder` hears what is no answer. */
  constructor(port: MessagePort, onOrder: (order: MainThreadCommand) => void) {
    this.#port = port;
    port.on("message", (message: MessageToWorker) => {
      switch (message.kind) {
        case "answer":
          this.#take(message.id)?.resolve(message.answer as never);
          break;
        case "failure":
          this.#take(message.id)?.reject(errorOf(message.failure));
          break;
        default:
          onOrder(message);
      }
    });
  }

  tell(message: MessageFromWorker): void {
    this.#port.postMessage(message);
  }

  /** Asks. Rejects as the store does, or with a Failure. */
  ask<Kind extends keyof MainThreadRequests>(
    about: Kind,
    asked: MainThreadRequests[Kind]["asked"],
  ): Promise<MainThreadRequests[Kind]["answer"]> {
    this.#lastId++;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<MainThreadRequests[Kind]["answer"]>();
    this.#waiting.set(id, { resolve, reject });
    this.tell({ kind: "question", id, question: { about, asked } as never });
    return promise;
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

function errorOf(failed: FailureMessage): Error {
  switch (failed.failure) {
    case "unavailable":
      return new StoreUnavailable(failed.message);
    case "conflict":
      return new StoreConflict(failed.message);
    case "problem":
      return new Failure(failed.problem);
    case "defect":
      return new Error(failed.message);
  }
}
