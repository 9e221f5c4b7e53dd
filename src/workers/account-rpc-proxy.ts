// Passes calls to the account services from a worker thread to the main thread, where the account RPC is.
import { fromBinary } from "@bufbuild/protobuf";
import { accountMethodOf } from "../account/account-methods.ts";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import { encodedCall } from "./account-messages.ts";
import type { MainThreadClient } from "./main-thread-client.ts";

/** The worker's side: an account RPC that forwards calls to the main thread. */
export function createAccountRpcProxy(mainThread: Pick<MainThreadClient, "request" | "send">): AccountRpc {
  return {
    admit: (method, caller) => mainThread.request({ kind: "accountAdmission", input: { method, caller } }),
    async call(call) {
      const output = await mainThread.request({ kind: "accountCall", input: encodedCall(call) });
      return fromBinary(accountMethodOf(call.method).desc.output, output);
    },
    async *stream(call, signal) {
      const { output } = accountMethodOf(call.method).desc;
      const stream = await mainThread.request({ kind: "accountStream", input: encodedCall(call) });
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
          yield fromBinary(output, message);
        }
      } finally {
        signal.removeEventListener("abort", end);
        end();
      }
    },
  };
}
