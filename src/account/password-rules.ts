// Refuses passwords that are long enough but that an attacker would try first, as NIST SP 800-63B requires. Like NIST, we require no
// particular kinds of characters.
import { Failure } from "../problem/failure.ts";
import { invalidArgument } from "../problem/problem.ts";
import { guessesLog10, plain } from "./password-strength.ts";

/** The password of the sandbox's accounts, which it prints. No other server accepts it. */
export const SANDBOX_PASSWORD = "quintet sandbox";

/** Whether this is the sandbox's password, in any Unicode form. */
export const isSandboxPassword = (password: string): boolean => password.normalize("NFKC") === SANDBOX_PASSWORD;

// The third of zxcvbn's four grades. Our hash takes 100 ms of a core, so this many guesses take one core four months.
const GUESSES_LOG10_MIN = 8;
// The name of the service is among the first words that an attacker tries.
const OWN_NAME = "quintet";

/** Throws a Failure about the field if somebody who knows the owner's e-mail address can easily guess the password. */
export function requireGoodPassword(field: string, password: string, email: string): void {
  const description = passwordFault(password, email);
  if (description !== undefined) {
    throw new Failure(invalidArgument([{ field, description }]));
  }
}

/** What is wrong with a password that is long enough; undefined if nothing is. */
export function passwordFault(password: string, email: string): string | undefined {
  const text = plain(password);
  if (text === "") {
    return "must not be blank";
  }
  const address = plain(email);
  const local = plain(email.slice(0, email.lastIndexOf("@")));
  if (text === address || text === local || (local !== "" && isRepeated(text, local))) {
    return "must not be the e-mail address, or the part before its @";
  }
  const words = [address, local, OWN_NAME, ...address.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length >= 3)];
  return guessesLog10(text, words) < GUESSES_LOG10_MIN
    ? "is too easy to guess: it consists of common passwords, simple patterns or words from the e-mail address; use several unrelated words instead"
    : undefined;
}

const isRepeated = (text: string, unit: string): boolean =>
  text.length % unit.length === 0 && unit.repeat(text.length / unit.length) === text;
