// The main thread's side of the account services' streams that worker threads read. A thread requests one message at a time, so messages
// that it has not read yet wait at the source, where their number is bounded.
import type { Message } from "@bufbuild/protobuf";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import { decodedCall, type EncodedAccountCall, encodedOutput } from "./account-messages.ts";

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
