// Customers for the tests in the browser, made in the store: signing up by calls is limited for each address.
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { Sessions } from "../../src/account/sessions.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import type { Gateway } from "../fixtures/gateway.ts";
import { quickPasswords } from "../fixtures/quick-passwords.ts";

/** What all of them sign in with. */
export const PASSWORD = "correct horse battery";

// Where all of them are.
const ADDRESS = "192.0.2.7";

/** A customer who is signed in. */
export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  /** Calls the account services in the session. */
  readonly transport: Transport;
}

type Server = Pick<Gateway, "origin" | "store">;

/** An address that nobody else has, so that a test that is tried again can sign up again. It begins with `name`. */
export const randomEmail = (name: string): string => `${name}-${systemRandomness.uuid().slice(0, 8)}@example.com`;

/** Signs a customer up, whose address begins with `name`. */
export async function signUp(server: Server, name: string): Promise<Customer> {
  const id = systemRandomness.uuid();
  const email = randomEmail(name);
  const visitor = server.store.by({ kind: "visitor", name: "", origin: ADDRESS });
  await visitor.createOwnedAccount({ id, name: email.replace(/@.*/, ""), email }, await quickPasswords.hash(PASSWORD));
  return await signIn(server, { id, email });
}

/** Signs in a customer who has signed up: another session. */
export async function signIn({ origin, store }: Server, { id, email }: Pick<Customer, "id" | "email">): Promise<Customer> {
  const sessions = new Sessions({ store, passwords: quickPasswords, clock: systemClock, randomness: systemRandomness });
  const { passwordHash = "" } = (await store.findOwner(email)) ?? {};
  const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const token = (await sessions.begin({ accountId: id, passwordHash }, { address: ADDRESS, userAgent }))?.token ?? "";
  const transport = createConnectTransport({
    baseUrl: origin,
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${token}`);
        return next(request);
      },
    ],
  });
  return { id, email, token, transport };
}

/** Subscribes the customer to Farkle and Bitcoin, and creates a key that works, one that is disabled, and one that is revoked. */
export async function furnish({ transport }: Customer): Promise<void> {
  const account = accountClient(transport);
  await account.setSubscription({ service: "farkle", plan: "free" });
  await account.setSubscription({ service: "bitcoin", plan: "pro" });
  await account.createKey({ name: "a server", services: ["farkle"] });
  for (const name of ["paused", "old"]) {
    const { key } = await account.createKey({ name });
    await (name === "old"
      ? account.revokeKey({ keyId: key?.id ?? "" })
      : account.updateKey({ keyId: key?.id ?? "", disabled: true }));
  }
}
