// The way of an account service's call from a worker to the main thread, where the office is: messages go as bytes, for what a message
// holds beside its fields would not survive the way.
import { type DescMethodUnary, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import type { AccountOffice } from "../account/rpc/account-rpc.ts";
import { rpcPath } from "../gateway/rpc/rpc-path.ts";
import type { MainPort } from "./main-thread-client.ts";
import type { OfficeCall } from "./messages.ts";

const METHODS: ReadonlyMap<string, DescMethodUnary> = new Map(
  [...AccountService.methods, ...SignInService.methods].map((method) => [rpcPath(method), method as DescMethodUnary]),
);

/** A worker's side: the office as it is reached through the main thread. */
export function remoteOffice(port: Pick<MainPort, "ask">): AccountOffice {
  return {
    async admit(method, visitor) {
      await port.ask("admission", { path: rpcPath(method), visitor });
    },
    async call(method, input, visitor) {
      const bytes = await port.ask("account", { path: rpcPath(method), input: toBinary(method.input, input), visitor });
      return fromBinary(method.output, bytes);
    },
  };
}

/** The main thread's side of a call's head. */
export async function admitToOffice(office: AccountOffice, { path, visitor }: Omit<OfficeCall, "input">): Promise<undefined> {
  await office.admit(methodAt(path), visitor);
}

/** The main thread's side of a call. */
export async function callOffice(office: AccountOffice, { path, input, visitor }: OfficeCall): Promise<Uint8Array> {
  const method = methodAt(path);
  return toBinary(method.output, await office.call(method, fromBinary(method.input, input), visitor));
}

function methodAt(path: string): DescMethodUnary {
  const method = METHODS.get(path);
  if (method === undefined) {
    throw new Error(`No account service has ${path}`);
  }
  return method;
}
