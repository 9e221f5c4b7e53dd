// What customers and operators can do with an account, and the rules that are checked before anything is stored.

import { Failure } from "../problem/failure.ts";
import { invalidArgument, type Violation } from "../problem/problem.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Account } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";

// Fit for a shell, a URL and a table. Never the shape of an id, because an account can be named by its name or its id.
const NAME_SHAPE = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;
const ID_SHAPE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// Refuses only what no mail server would take. Whether the address exists only a mail can find out.
const EMAIL_SHAPE = /^[!-?A-~]{1,64}@[!-?A-~]{1,189}$/;

// Narrower, because nobody checks what is typed in when somebody signs up: a host that mail can go to, and nothing that has to be quoted.
const SIGN_IN_EMAIL_SHAPE = /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;
const SUFFIX_BYTES = 4;

/** An e-mail address as its owner signs in with it: in small letters. Throws a Failure when it has the wrong shape. */
export function requireSignInEmail(email: string): string {
  if (!SIGN_IN_EMAIL_SHAPE.test(email)) {
    throw new Failure(invalidArgument([{ field: "email", description: "must be an e-mail address such as ada@example.com" }]));
  }
  return email.toLowerCase();
}

/** A name for the account of the owner of this address: what stands before the `@`, without what a name cannot hold, and 8 random digits. */
export function accountNameOf(email: string, randomness: Pick<Randomness, "bytes">): string {
  const own = email
    .slice(0, email.indexOf("@"))
    .replaceAll(/[^a-z0-9._-]/g, "")
    .slice(0, 40);
  const suffix = Buffer.from(randomness.bytes(SUFFIX_BYTES)).toString("hex");
  return `${own.replace(/^[._-]+/, "") || "account"}-${suffix}`;
}

/** Makes an account. Rejects with a Failure when the name or the address has the wrong shape, with a StoreConflict when the name is taken. */
export async function createAccount(
  deps: { readonly store: AdminStore; readonly randomness: Randomness },
  account: { readonly name: string; readonly email: string | null },
): Promise<Account> {
  const violations: Violation[] = [];
  if (!NAME_SHAPE.test(account.name) || ID_SHAPE.test(account.name)) {
    violations.push({
      field: "name",
      description:
        "must be 1 to 63 lower-case letters, digits, dots, dashes or underscores, begin and end with a letter or digit, and not be an id",
    });
  }
  if (account.email !== null && !EMAIL_SHAPE.test(account.email)) {
    violations.push({ field: "email", description: "must be an e-mail address such as ops@acme.example, at most 254 characters" });
  }
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return deps.store.createAccount({ id: deps.randomness.uuid(), ...account });
}
