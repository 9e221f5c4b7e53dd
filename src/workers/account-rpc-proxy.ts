// Takes calls of the account services from a worker thread to the main thread, where the account RPC is. Protobuf messages go as bytes: a copy
// made by the structured clone would lose what a message holds beside its fields.
import { type DescMethod, type DescMethodServerStreaming, type DescMethodUnary, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import { rpcPath } from "../gateway/rpc/rpc-path.ts";
import type { MainThreadClient } from "./main-thread-client.ts";
import type { AccountRpcCall } from "./messages.ts";

const METHODS: ReadonlyMap<string, DescMethod> = new Map(
  [AccountService, SignInService, OperatorService].flatMap(({ methods }) => methods).map((method) => [rpcPath(method), method]),
);

/** The worker's side: an account RPC that asks the main thread. */
export function createAccountRpcProxy(mainThread: Pick<MainThreadClient, "ask" | "tell">): AccountRpc {
  return {
    async admit(method, requestContext) {
      await mainThread.ask({ about: "accountAdmission", asked: { path: rpcPath(method), requestContext } });
    },
    async call(method, input, requestContext) {
      const bytes = await mainThread.ask({
        about: "accountCall",
        asked: { path: rpcPath(method), input: toBinary(method.input, input), requestContext },
      });
      return fromBinary(method.output, bytes);
    },
    async *stream(method, input, requestContext, signal) {
      const asked = { path: rpcPath(method), input: toBinary(method.input, input), requestContext };
      const stream = await mainThread.ask({ about: "accountStream", asked });
      const end = (): void => mainThread.tell({ kind: "endAccountStream", stream });
      if (signal.aborted) {
        end();
        return;
      }
      // The main thread ends the stream then, so that the question after its next message is answered.
      signal.addEventListener("abort", end, { once: true });
      try {
        while (true) {
          const bytes = await mainThread.ask({ about: "accountStreamNext", asked: stream });
          if (bytes === undefined) {
            return;
          }
          yield fromBinary(method.output, bytes);
        }
      } finally {
        signal.removeEventListener("abort", end);
        end();
      }
    },
  };
}

/** The main thread's side of a call's head. */
export async function admitAccountCall(
  accountRpc: AccountRpc,
  { path, requestContext }: Omit<AccountRpcCall, "input">,
): Promise<undefined> {
  await accountRpc.admit(methodAt(path), requestContext);
}

/** The main thread's side of a call. */
export async function callAccountRpc(accountRpc: AccountRpc, { path, input, requestContext }: AccountRpcCall): Promise<Uint8Array> {
  const method = methodAt(path) as DescMethodUnary;
  return toBinary(method.output, await accountRpc.call(method, fromBinary(method.input, input), requestContext));
}

/** The main thread's side of a stream: its messages in bytes. */
export async function* streamAccountRpc(
  accountRpc: AccountRpc,
  { path, input, requestContext }: AccountRpcCall,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const method = methodAt(path) as DescMethodServerStreaming;
  for await (const output of accountRpc.stream(method, fromBinary(method.input, input), requestContext, signal)) {
    yield toBinary(method.output, output);
  }
}

function methodAt(path: string): DescMethod {
  const method = METHODS.get(path);
  if (method === undefined) {
    throw new Error(`No account service has ${path}`);
  }
  return method;
}
