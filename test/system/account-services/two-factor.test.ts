// Two-factor authentication in every protocol, as a cookie, at two servers, and without a secret in any log.
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { codeAt } from "../../fixtures/authenticator.ts";
import { startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS, type Client, rest } from "./clients.ts";
import { METHODS, PASSWORD, Person, placeOf } from "./person.ts";
import { badInput } from "./responses.ts";
import { runTwoFactor } from "./two-factor-life.ts";

const SECRETS: ReadonlySet<string> = new Set(["password", "new_password", "token", "secret", "otpauth_uri", "challenge"]);

// What is secret in a message, other than codes: six digits may appear in any number.
function secretsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === "recovery_codes") {
      return inner as string[];
    }
    return typeof inner === "string" && SECRETS.has(name) ? [inner] : secretsIn(inner);
  });
}

test.each(CLIENTS)(
  "somebody turns it on, signs in with codes and turns it off, and no log has a secret, by $name",
  async (client) => {
    const lines: string[] = [];
    const secrets = new Set<string>();
    const log = pino({ level: "debug", base: null }, { write: (line: string) => void lines.push(line) });
    const gateway = await startGateway({ log });
    onTestFinished(() => gateway.close());
    const remembering: Client = {
      ...client,
      async call(call) {
        const seen = await client.call(call);
        for (const secret of [...secretsIn(call.input), ...secretsIn(seen.body)]) {
          secrets.add(secret);
        }
        return seen;
      },
    };
    await runTwoFactor(new Person(placeOf(gateway), remembering), gateway.clock, "ada@example.com");
    expect(secrets.size).toBeGreaterThan(25);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => [...secrets].some((secret) => line.includes(secret)))).toEqual([]);
  },
);

test("a page of this server gets the session as a cookie, and another page gets none", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const person = new Person(placeOf(gateway), rest);
  const session = await person.begin("ada@example.com");
  const { secret } = await person.take<{ secret: string }>(METHODS.beginTwoFactor, { password: PASSWORD }, session);
  await person.take(METHODS.confirmTwoFactor, { code: codeAt(secret, gateway.clock.nowMs()) }, session);
  const page = { origin: gateway.origin, "sec-fetch-site": "same-origin" };
  const wish = { email: "ada@example.com", password: PASSWORD, use_cookie: true };
  const seen = await person.call(METHODS.signIn, wish, page);
  expect(seen.headers["set-cookie"]).toBeUndefined();
  const { challenge } = (seen.body as { data: { challenge: string } }).data;
  gateway.clock.advance(30_000);
  const completion = { challenge, code: codeAt(secret, gateway.clock.nowMs()), use_cookie: true };
  const foreign = await person.call(METHODS.signIn, completion, { origin: "https://evil.example" });
  expect(foreign).toMatchObject({ status: 403, body: { error: { reason: "ORIGIN_REFUSED" } } });
  expect(foreign.headers["set-cookie"]).toBeUndefined();
  const own = await person.call(METHODS.signIn, completion, page);
  expect(own).toMatchObject({ status: 200, headers: { "set-cookie": expect.stringMatching(/^quintet_session=[0-9A-Za-z]{32};/) } });
  expect(own.body).not.toHaveProperty("data.session.token");
  const [cookie = ""] = (own.headers["set-cookie"] ?? "").split(";");
  expect(await person.call(METHODS.getAccount, {}, { ...page, cookie })).toMatchObject({ status: 200 });
});

test("an operator's new password does not turn it off, and the command line does", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const person = new Person(placeOf(gateway), rest);
  const email = "ada@example.com";
  const session = await person.begin(email);
  const { secret } = await person.take<{ secret: string }>(METHODS.beginTwoFactor, { password: PASSWORD }, session);
  await person.take(METHODS.confirmTwoFactor, { code: codeAt(secret, gateway.clock.nowMs()) }, session);
  const owner = await gateway.store.findOwner(email);
  await gateway.store.setOwnerPassword(owner?.accountId ?? "", owner?.passwordHash ?? "");
  expect(await person.call(METHODS.getAccount, {}, session)).toMatchObject({ body: { error: { reason: "SESSION_INVALID" } } });
  const waiting = await person.take<object>(METHODS.signIn, { email, password: PASSWORD });
  expect(waiting).toEqual({ challenge: expect.any(String) });
  await gateway.store.removeTwoFactor(owner?.accountId ?? "");
  const started = await person.take<{ session: object }>(METHODS.signIn, { email, password: PASSWORD });
  expect(started.session).toMatchObject({ token: expect.any(String) });
});

test("deleting an account requires a code if two-factor authentication is on, and a wrong one leaves the account as it is", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const person = new Person(placeOf(gateway), rest);
  const session = await person.begin("ada@example.com");
  const { secret } = await person.take<{ secret: string }>(METHODS.beginTwoFactor, { password: PASSWORD }, session);
  // The code at the time when it arrives.
  const code = (): string => codeAt(secret, gateway.clock.nowMs() + 1000);
  const confirmed = code();
  await person.take(METHODS.confirmTwoFactor, { code: confirmed }, session);
  const refused = (description: string) => badInput({ field: "code", description });
  const remove = (proof: { password: string; code?: string }, description: string) =>
    person.fail(METHODS.deleteAccount, proof, refused(description), session);
  await remove({ password: PASSWORD }, "is required, because two-factor authentication is on");
  await remove(
    { password: PASSWORD, code: confirmed },
    "is wrong, or was already used. Wait for the next one, and check that your phone's clock is right",
  );
  gateway.clock.advance(30_000);
  await person.fail(
    METHODS.deleteAccount,
    { password: "a wrong password", code: code() },
    badInput({ field: "password", description: "is wrong" }),
    session,
  );
  await person.take(METHODS.getAccount, {}, session);
  await person.take(METHODS.deleteAccount, { password: PASSWORD, code: code() }, session);
  expect(await gateway.store.findAccount("ada@example.com")).toBeUndefined();
});
