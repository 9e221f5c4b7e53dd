// Callers who are too fast learn when to retry, the same in every protocol. The clock stands still, so nobody's allowance grows unless a
// test moves it.
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import type { Seen } from "../matrix/seen.ts";
import { type Call as Called, CLIENTS, type Client, rest } from "./clients.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "./person.ts";
import { type Expected, failed, REQUEST_ID } from "./responses.ts";

const tooManyAttempts = (retryAfterS: number): Expected => ({
  reason: "RATE_LIMITED",
  message: `There were too many attempts to sign in or sign up; retry in ${retryAfterS} s.`,
  retryAfterS,
});

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

const call = (client: Client, method: Called["method"], input: Called["input"], headers: Headers = {}): Promise<Seen> =>
  client.call({ origin: gateway.origin, method, input, headers: { "x-request-id": REQUEST_ID, ...headers } });

/** This many calls at once. */
const codesOf = async (count: number, makeCall: (index: number) => Promise<Seen>): Promise<readonly string[]> =>
  (await Promise.all(Array.from({ length: count }, (_, index) => makeCall(index)))).map(({ code }) => code);

/** Expects a call to fail in the same way in each protocol. */
async function expectFailed(expected: Expected, makeCall: (client: Client) => Promise<Seen>): Promise<void> {
  for (const client of CLIENTS) {
    expect(await makeCall(client)).toEqual(failed(client, expected));
  }
}

test("the eleventh attempt to sign in with an address has to wait ten seconds for the next one", async () => {
  const signIn = (client: Client, email: string): Promise<Seen> =>
    call(client, METHODS.signIn, { email, password: "a wrong password" });
  const codes = await codesOf(10, () => signIn(rest, "ada@example.com"));
  expect(codes).toEqual(Array(10).fill("UNAUTHENTICATED"));
  await expectFailed(tooManyAttempts(10), (client) => signIn(client, "ADA@example.com"));
  expect(await signIn(rest, "bob@example.com")).toMatchObject({ code: "UNAUTHENTICATED" });
  gateway.clock.advance(9_999);
  const soon = { ...tooManyAttempts(1), retryAfterS: 0.001 };
  await expectFailed(soon, (client) => signIn(client, "ada@example.com"));
  gateway.clock.advance(1);
  expect(await signIn(rest, "ada@example.com")).toMatchObject({ code: "UNAUTHENTICATED" });
});

test("the eleventh sign-up from one network has to wait", async () => {
  const signUp = (client: Client, number: number): Promise<Seen> =>
    call(client, METHODS.signUp, { email: `ada${number}@example.com`, password: PASSWORD });
  expect(await codesOf(10, (number) => signUp(rest, number))).toEqual(Array(10).fill("ok"));
  await expectFailed(tooManyAttempts(10), (client) => signUp(client, 10));
});

test("the eleventh guess at the password of a session's owner has to wait", async () => {
  const session = await new Person(placeOf(gateway), rest).begin("ada@example.com");
  const guess = (client: Client): Promise<Seen> =>
    call(client, METHODS.changePassword, { current_password: "a wrong password", new_password: PASSWORD }, session);
  expect(await codesOf(10, () => guess(rest))).toEqual(Array(10).fill("INVALID_ARGUMENT"));
  await expectFailed(tooManyAttempts(10), guess);
});

test("a person may open the page of usage five times within seconds, and after 49 reports in five seconds the next has to wait", async () => {
  const session = await new Person(placeOf(gateway), rest).begin("ada@example.com");
  const report = (client: Client): Promise<Seen> => call(client, METHODS.getUsage, {}, session);
  const codes: string[] = [];
  for (let made = 0; made < 49; made += 1) {
    // As fast as an account may call.
    gateway.clock.advance(100);
    codes.push((await report(rest)).code);
  }
  expect(codes).toEqual(Array(49).fill("ok"));
  gateway.clock.advance(100);
  const message = "Too many calls from this account; retry in 1 s.";
  await expectFailed({ reason: "RATE_LIMITED", message, retryAfterS: 0.1 }, report);
  gateway.clock.advance(500);
  expect(await report(rest)).toMatchObject({ code: "ok" });
});

test("the twenty-first call of an account has to wait a tenth of a second, and another account's does not", async () => {
  const person = new Person(placeOf(gateway), rest);
  const [session, neighbour] = [await person.begin("ada@example.com"), await person.begin("bob@example.com")];
  const list = (client: Client, headers: Headers): Promise<Seen> => call(client, METHODS.listKeys, {}, headers);
  expect(await codesOf(20, () => list(rest, session))).toEqual(Array(20).fill("ok"));
  const message = "Too many calls from this account; retry in 1 s.";
  await expectFailed({ reason: "RATE_LIMITED", message, retryAfterS: 0.1 }, (client) => list(client, session));
  expect(await list(rest, neighbour)).toMatchObject({ code: "ok" });
  gateway.clock.advance(100);
  expect(await list(rest, session)).toMatchObject({ code: "ok" });
});
