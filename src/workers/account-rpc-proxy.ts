// Passes calls to the account services from a worker thread to the main thread, where the account RPC is. Messages are passed as bytes: the
// structured clone would lose parts of a message besides its fields.
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { MainThreadClient } from "./main-thread-client.ts";

/** The worker's side: an account RPC that forwards calls to the main thread. */
export function createAccountRpcProxy(mainThread: Pick<MainThreadClient, "request" | "send">): AccountRpc {
  return {
    async admit(method, caller) {
      await mainThread.request({ kind: "accountAdmission", input: { method, caller } });
    },
    call: (call) => mainThread.request({ kind: "accountCall", input: call }),
    async *stream(call, signal) {
      const stream = await mainThread.request({ kind: "accountStream", input: call });
      const end = (): void => mainThread.send({ kind: "endAccountStream", stream });
      if (signal.aborted) {
        end();
        return;
      }
      // The main thread then ends the stream, which also resolves the request for its next message.
      signal.addEventListener("abort", end, { once: true });
      try {
        while (true) {
          const message = await mainThread.request({ kind: "accountStreamNext", input: stream });
          if (message === undefined) {
            return;
          }
          yield message;
        }
      } finally {
        signal.removeEventListener("abort", end);
        end();
      }
    },
  };
}
