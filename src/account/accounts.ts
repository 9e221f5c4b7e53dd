// What customers and operators can do with an account, and the rules that are checked before anything is stored.
import { Failure } from "../problem/failure.ts";
import { invalidArgument, type Violation } from "../problem/problem.ts";
import { AN_EMAIL, canonicalEmail } from "../runtime/email.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Account } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";

// Safe in a shell, a URL and a table. A name must not look like an id, because commands accept either.
const NAME_SHAPE = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;
const ID_SHAPE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const SUFFIX_BYTES = 4;

/** An e-mail address in the form in which it is stored and compared. Throws a Failure that names `field` if it is malformed. */
export function requireEmail(text: string, field = "email"): string {
  const email = canonicalEmail(text);
  if (email === undefined) {
    throw new Failure(invalidArgument([{ field, description: `must be ${AN_EMAIL}` }]));
  }
  return email;
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
  const email = account.email === null ? null : canonicalEmail(account.email);
  if (email === undefined) {
    violations.push({ field: "email", description: `must be ${AN_EMAIL}` });
  }
  if (email === undefined || violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return options.store.createAccount({ id: options.randomness.uuid(), name: account.name, email });
}
