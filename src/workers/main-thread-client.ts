// The worker's end of the messages between a worker thread and the main thread: sends requests and receives commands.
import type { MessagePort } from "node:worker_threads";
import { Failure } from "../problem/failure.ts";
import { StoreConflict, StoreUnavailable } from "../store/store-errors.ts";
import type { FailureMessage, MainThreadRequest, MainThreadResponse, MessageFromWorker, MessageToWorker } from "./messages.ts";

/** A command from the main thread to a worker. */
export type MainThreadCommand = Exclude<MessageToWorker, { readonly kind: "response" | "failure" }>;

/** A worker's connection to the main thread. */
export class MainThreadClient {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, PromiseWithResolvers<MainThreadResponse>>();
  #lastId = 0;

  /** `onCommand` gets every message that is not a response to a request. */
  constructor(port: MessagePort, onCommand: (command: MainThreadCommand) => void) {
    this.#port = port;
    port.on("message", (message: MessageToWorker) => {
      switch (message.kind) {
        case "response":
          this.#take(message.id)?.resolve(message.response);
          break;
        case "failure":
          this.#take(message.id)?.reject(errorOf(message.failure));
          break;
        default:
          onCommand(message);
      }
    });
  }

  send(message: MessageFromWorker): void {
    this.#port.postMessage(message);
  }

  /** Sends a request. Rejects as the store does, or with a Failure. */
  request<Request extends MainThreadRequest>(request: Request): Promise<MainThreadResponse<Request["kind"]>> {
    this.#lastId++;
    const waiting = Promise.withResolvers<MainThreadResponse>();
    this.#waiting.set(this.#lastId, waiting);
    this.send({ kind: "request", id: this.#lastId, request });
    // The id identifies the response to this request, so its type fits.
    return waiting.promise as Promise<MainThreadResponse<Request["kind"]>>;
  }

  #take(id: number): PromiseWithResolvers<MainThreadResponse> | undefined {
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
