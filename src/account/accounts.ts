// What customers and operators can do with an account, and the rules that are checked before anything is stored.
import { Failure } from "../problem/failure.ts";
import { invalidArgument, type Violation } from "../problem/problem.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Account } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";

// Safe in a shell, a URL and a table. A name must not look like an id, because commands accept either.
const NAME_SHAPE = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;
const ID_SHAPE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// Refuses only what no mail server would accept. Only sending an e-mail can show whether the address exists.
const EMAIL_SHAPE = /^[!-?A-~]{1,64}@[!-?A-~]{1,189}$/;

// Stricter, because no operator checks the input when a person signs up: a host that can receive mail, and nothing that needs quoting.
const SIGN_IN_EMAIL_SHAPE = /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;
const SUFFIX_BYTES = 4;

/** An e-mail address in the form in which its owner signs in: in lower case. Throws a Failure that names `field` if it is malformed. */
export function requireSignInEmail(email: string, field = "email"): string {
  if (!SIGN_IN_EMAIL_SHAPE.test(email)) {
    throw new Failure(invalidArgument([{ field, description: "must be an e-mail address like name@example.com" }]));
  }
  return email.toLowerCase();
}

/**
 * Generates an account name from an e-mail address: the part before the `@`, without characters that a name cannot contain, and 8 random
 * digits.
 */
export function accountNameOf(email: string, randomness: Pick<Randomness, "bytes">): string {
  const localPart = email
    .slice(0, email.indexOf("@"))
    .replaceAll(/[^a-z0-9._-]/g, "")
    .slice(0, 40);
  const suffix = Buffer.from(randomness.bytes(SUFFIX_BYTES)).toString("hex");
  return `${localPart.replace(/^[._-]+/, "") || "account"}-${suffix}`;
}

/** Creates an account. Rejects with a Failure if the name or the address is malformed, and with a StoreConflict if the name is taken. */
export async function createAccount(
  options: { readonly store: AdminStore; readonly randomness: Randomness },
  account: { readonly name: string; readonly email: string | null },
): Promise<Account> {
  const violations: Violation[] = [];
  if (!NAME_SHAPE.test(account.name) || ID_SHAPE.test(account.name)) {
    violations.push({
      field: "name",
      description:
        "must be 1 to 63 lower-case letters, digits, dots, dashes or underscores, begin and end with a letter or digit, and not look like an account ID",
    });
  }
  if (account.email !== null && !EMAIL_SHAPE.test(account.email)) {
    violations.push({ field: "email", description: "must be an e-mail address like name@example.com, at most 254 characters" });
  }
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return options.store.createAccount({ id: options.randomness.uuid(), ...account });
}
