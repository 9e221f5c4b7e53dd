// The main thread's side of the streams of account services that are read in worker threads. A thread asks for one message at a time, so what it
// has not read yet waits where it is bounded: with the one that makes the messages.
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import { streamAccountRpc } from "./account-rpc-proxy.ts";
import type { AccountRpcCall } from "./messages.ts";

interface OpenStream {
  readonly thread: number;
  readonly messages: AsyncGenerator<Uint8Array>;
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

  /** Begins a stream for a thread, and returns its number. Nothing is done for it before its first message is asked for. */
  begin(thread: number, call: AccountRpcCall): number {
    const controller = new AbortController();
    this.#last += 1;
    this.#open.set(this.#last, { thread, messages: streamAccountRpc(this.#accountRpc, call, controller.signal), controller });
    return this.#last;
  }

  /** The stream's next message; undefined once it has ended. Rejects as the account RPC does. */
  async next(stream: number): Promise<Uint8Array | undefined> {
    const next = await this.#open.get(stream)?.messages.next();
    return next?.done === false ? next.value : undefined;
  }

  /** Ends a stream. Does nothing where it has ended. */
  end(stream: number): void {
    const open = this.#open.get(stream);
    this.#open.delete(stream);
    open?.controller.abort();
    // It goes on where it was interrupted, and there it may only fail.
    void open?.messages.return(undefined).catch(() => {});
  }

  /** The thread has died: ends its streams. */
  endAll(thread: number): void {
    for (const [stream, open] of this.#open) {
      if (open.thread === thread) {
        this.end(stream);
      }
    }
  }
}
