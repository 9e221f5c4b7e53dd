// A customer for the tests of the application, made by calls of the account services.
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";

/** Who signs up. */
export const PASSWORD = "correct horse battery";

/** A customer who is signed in. */
export interface Customer {
  readonly email: string;
  readonly token: string;
  /** Calls the account services in the session. */
  readonly transport: Transport;
}

/** Signs a customer up. */
export async function signUp(origin: string, email: string): Promise<Customer> {
  const { session } = await createClient(SignInService, createConnectTransport({ baseUrl: origin })).signUp({
    email,
    password: PASSWORD,
  });
  return customerOf(origin, email, session?.token ?? "");
}

/** Signs in a customer who has signed up: another session. */
export async function signIn(origin: string, email: string): Promise<Customer> {
  const { session } = await createClient(SignInService, createConnectTransport({ baseUrl: origin })).signIn({
    email,
    password: PASSWORD,
  });
  return customerOf(origin, email, session?.token ?? "");
}

function customerOf(origin: string, email: string, token: string): Customer {
  const transport = createConnectTransport({
    baseUrl: origin,
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${token}`);
        return next(request);
      },
    ],
  });
  return { email, token, transport };
}

/** Subscribes the customer to Farkle and Bitcoin, and creates a key that works, one that is disabled, and one that is revoked. */
export async function furnish({ transport }: Customer): Promise<void> {
  const account = createClient(AccountService, transport);
  await account.createSubscription({ service: "farkle" });
  await account.createSubscription({ service: "bitcoin", plan: "pro" });
  await account.createKey({ name: "a server", services: ["farkle"] });
  for (const name of ["paused", "old"]) {
    const { key } = await account.createKey({ name });
    await (name === "old"
      ? account.revokeKey({ keyId: key?.id ?? "" })
      : account.updateKey({ keyId: key?.id ?? "", disabled: true }));
  }
}
