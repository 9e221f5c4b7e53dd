// How a worker reads the services' status for the page that anybody may open: from the process's account RPC, like any caller of GetStatus.
import { create } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { GetStatusRequestSchema, type GetStatusResponse } from "../../gen/quintet/account/v1/status_pb.js";
import { accountMethodOf } from "../account/account-methods.ts";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";

/** Creates the function that reads the status. It rejects as the RPC does. */
export function createStatusSource(accountRpc: Pick<AccountRpc, "call">): () => Promise<GetStatusResponse> {
  const { fullName: method } = accountMethodOf(AccountService.method.getStatus);
  const input = create(GetStatusRequestSchema);
  const caller = { peer: "", userAgent: undefined, token: undefined };
  return async () => (await accountRpc.call({ method, input, caller })) as GetStatusResponse;
}
