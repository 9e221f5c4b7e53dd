// Calls to the account services as they move between threads, in Protobuf's binary form: the structured clone would lose parts of a message
// besides its fields.
import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { accountMethodOf } from "../account/account-methods.ts";
import type { AccountCall } from "../account/rpc/bound-method.ts";

/** A call to an account service as it moves between threads: its input is in Protobuf's binary form. */
export type EncodedAccountCall = Omit<AccountCall, "input"> & { readonly input: Uint8Array };

/** The call that a worker sends. */
export const encodedCall = ({ method, input, caller }: AccountCall): EncodedAccountCall => ({
  ...{ method, caller },
  input: toBinary(accountMethodOf(method).desc.input, input),
});

/** The call as the main thread makes it. */
export const decodedCall = ({ method, input, caller }: EncodedAccountCall): AccountCall => ({
  ...{ method, caller },
  input: fromBinary(accountMethodOf(method).desc.input, input),
});

/** An output message of the method, for the worker that has called it. */
export const encodedOutput = (method: string, output: Message): Uint8Array => toBinary(accountMethodOf(method).desc.output, output);
