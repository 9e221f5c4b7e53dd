// Passkeys: what a browser created and signed is accepted once, for its owner and its site, and everything else is refused.
import { expect, onTestFinished, test, vi } from "vitest";
import { Passkeys } from "../../src/account/passkeys.ts";
import { Sessions } from "../../src/account/sessions.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";
import { quickPasswords } from "../fixtures/quick-passwords.ts";
import { challengeOf, createSoftwarePasskey } from "../fixtures/software-passkey.ts";

const origin = "https://api.example.com";
const HOST = "api.example.com";
const NOT_VALID = "credential_json is not valid: it was made on another site, or by another passkey";
const OVER = "credential_json is not valid: its challenge has expired or was already used. Try again";

async function open(publicUrl: string | undefined = origin) {
  const clock = createManualClock({ nowMs: Date.UTC(2026, 10, 21, 12) });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  const randomness = systemRandomness;
  for (const name of ["ada", "bob"]) {
    await store.createOwnedAccount({ id: `a-${name}`, name, email: `${name}@example.com` }, "hash");
  }
  const passkeys = new Passkeys({ store, clock, randomness, publicUrl });
  const sessions = new Sessions({ store, passwords: quickPasswords, clock, randomness });
  const begin = async (accountId = "a-ada") => challengeOf(await passkeys.creationOptions(accountId, "ada@example.com"));
  const request = async () => challengeOf(await passkeys.requestOptions());
  const register = async (passkey: ReturnType<typeof createSoftwarePasskey>, accountId = "a-ada") =>
    store.addPasskey(
      await passkeys.verifyRegistration(accountId, passkey.created({ challenge: await begin(accountId), origin }), "laptop"),
    );
  return { clock, store, passkeys, sessions, begin, request, register };
}

const refused = (work: Promise<unknown>, message: string) => expect(work).rejects.toThrow(message);

test("a passkey is created, and begins a session that is recorded with its name", async () => {
  const { store, passkeys, sessions, request, register } = await open();
  const passkey = createSoftwarePasskey(HOST, "a-ada");
  await register(passkey);
  const proven = await passkeys.verifySignIn(passkey.signed({ challenge: await request(), origin }));
  const session = await sessions.beginWithPasskey(proven, { address: "192.0.2.7", userAgent: "curl/8.0" });
  expect((await sessions.find(session?.token ?? ""))?.accountId).toBe("a-ada");
  const [signIn, added] = (await store.auditPage({ accountId: "a-ada", limit: 10 })).entries;
  expect([signIn?.action, signIn?.details]).toEqual(["account.sign_in", { user_agent: "curl/8.0", passkey: "laptop" }]);
  expect([added?.action, added?.details]).toEqual(["account.add_passkey", { name: "laptop" }]);
  await store.removePasskey("a-ada", proven.passkey.id);
  expect(await sessions.beginWithPasskey(proven, {})).toBeUndefined();
  await refused(
    passkeys.verifySignIn(passkey.signed({ challenge: await request(), origin })),
    "credential_json is not registered here. Sign in with your password",
  );
});

test("the options demand that the device verifies its user, and name the site and the passkeys that exist", async () => {
  const { passkeys, register } = await open();
  await register(createSoftwarePasskey(HOST, "a-ada"));
  const options = JSON.parse(await passkeys.creationOptions("a-ada", "ada@example.com"));
  expect(options).toMatchObject({
    rp: { id: HOST },
    user: { name: "ada@example.com" },
    excludeCredentials: [{ id: Buffer.from("credential").toString("base64url") }],
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  expect(JSON.parse(await passkeys.requestOptions())).toMatchObject({ rpId: HOST, userVerification: "required" });
});

test.each([
  ["another origin", { origin: "https://api.example.org" }, HOST],
  ["another port", { origin: "https://api.example.com:8443" }, HOST],
  ["a user who was not verified", { isVerified: false }, HOST],
  ["another site's passkey", {}, "example.org"],
])("%s is refused, when a passkey is created and when it is used", async (_, change, host) => {
  const { passkeys, begin, request, register } = await open();
  const stranger = createSoftwarePasskey(host, "a-ada", "other");
  const made = stranger.created({ challenge: await begin(), origin, ...change });
  await refused(passkeys.verifyRegistration("a-ada", made, "laptop"), NOT_VALID);
  const known = createSoftwarePasskey(HOST, "a-ada");
  await register(known);
  // From another site: the same id with another key.
  const used = host === HOST ? known : createSoftwarePasskey(host, "a-ada");
  await refused(passkeys.verifySignIn(used.signed({ challenge: await request(), origin, ...change })), NOT_VALID);
});

test.each([
  ["another account's", "a-bob"],
  ["no account's", "a-adaa"],
  ["nobody's", ""],
  ["no", null],
])("a passkey that comes with %s user handle is refused", async (_, userHandle) => {
  const { passkeys, request, register } = await open();
  const passkey = createSoftwarePasskey(HOST, "a-ada");
  await register(passkey);
  const signed = passkey.signed({ challenge: await request(), origin, userHandle });
  await refused(passkeys.verifySignIn(signed), "credential_json is not valid: its userHandle is not that of the passkey's owner");
});

test("an attestation is not looked at, so that its certificates cannot make the server download anything", async () => {
  const { passkeys, begin, request, store } = await open();
  const requested = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("no network"));
  onTestFinished(() => requested.mockRestore());
  const passkey = createSoftwarePasskey(HOST, "a-ada");
  const revocationListUrl = "http://169.254.169.254/latest/meta-data/";
  const made = passkey.created({ challenge: await begin(), origin, revocationListUrl });
  const [registered] = await Promise.allSettled([passkeys.verifyRegistration("a-ada", made, "laptop")]);
  expect(requested.mock.calls).toEqual([]);
  await store.addPasskey(registered.status === "fulfilled" ? registered.value : expect.fail(String(registered.reason)));
  await passkeys.verifySignIn(passkey.signed({ challenge: await request(), origin }));
});

test("a challenge works once, for five minutes, and only for the purpose and the account that it was made for", async () => {
  const { clock, passkeys, begin, request, register } = await open();
  const passkey = createSoftwarePasskey(HOST, "a-ada");
  await register(passkey);
  const once = passkey.signed({ challenge: await request(), origin });
  await passkeys.verifySignIn(once);
  await refused(passkeys.verifySignIn(once), OVER);
  await refused(passkeys.verifySignIn(passkey.signed({ challenge: "AAAA", origin })), OVER);
  await refused(passkeys.verifySignIn(passkey.signed({ challenge: await begin(), origin })), OVER);
  const other = createSoftwarePasskey(HOST, "a-ada", "other");
  await refused(passkeys.verifyRegistration("a-bob", other.created({ challenge: await begin("a-ada"), origin }), "x"), OVER);
  await refused(passkeys.verifyRegistration("a-ada", other.created({ challenge: await request(), origin }), "x"), OVER);
  const [late, later] = [await request(), await request()];
  clock.advance(299_999);
  await passkeys.verifySignIn(passkey.signed({ challenge: late, origin }));
  clock.advance(1);
  await refused(passkeys.verifySignIn(passkey.signed({ challenge: later, origin })), OVER);
});

test("a credential belongs to one account, and an account has at most ten", async () => {
  const { store, register } = await open();
  await register(createSoftwarePasskey(HOST, "a-ada", "c-0"));
  await refused(register(createSoftwarePasskey(HOST, "a-ada", "c-0"), "a-bob"), "This passkey is already registered.");
  for (let number = 1; number < 10; number++) {
    await register(createSoftwarePasskey(HOST, "a-ada", `c-${number}`));
  }
  await refused(register(createSoftwarePasskey(HOST, "a-ada", "c-10")), "The account already has 10 passkeys. Remove one first.");
  const [first] = await store.passkeysOf("a-ada");
  await refused(store.removePasskey("a-bob", first?.id ?? ""), `The account has no passkey with the ID ${first?.id}.`);
  expect(await store.passkeysOf("a-ada")).toHaveLength(10);
});

test("an authenticator whose count does not grow is refused, because it was copied", async () => {
  const { passkeys, sessions, request, register } = await open();
  const passkey = createSoftwarePasskey(HOST, "a-ada");
  await register(passkey);
  const signed = async (counter: number) => passkeys.verifySignIn(passkey.signed({ challenge: await request(), origin, counter }));
  const [first, second] = [await signed(5), await signed(6)];
  expect(await sessions.beginWithPasskey(first, {})).toBeDefined();
  // Both were signed before either was used.
  expect(await sessions.beginWithPasskey(second, {})).toBeUndefined();
  await refused(signed(5), NOT_VALID);
  expect(await sessions.beginWithPasskey(await signed(6), {})).toBeDefined();
});

// PostgreSQL accepts no zero character, and would fail to look it up.
const CLIENT_DATA = Buffer.from('{"challenge":"x"}').toString("base64url");
const PROOFS = `"response":{"clientDataJSON":"${CLIENT_DATA}","attestationObject":"x","signature":"x"}`;
const WRONG_IDS = ["\\u0000", "a b", ""].map((id) => `{"id":"${id}",${PROOFS}}`);
test.each(["", "{}", "[]", "null", "7", '{"id":"x"}', '{"id":"x","response":{"clientDataJSON":"x"}}', ...WRONG_IDS])(
  "%s is refused with what is expected",
  async (json) => {
    const { passkeys } = await open();
    const message = "credential_json must be the JSON of a PublicKeyCredential, as its toJSON method returns it";
    await refused(passkeys.verifySignIn(json), message);
    await refused(passkeys.verifyRegistration("a-ada", json, "x"), message);
  },
);

test.each([
  [
    ["usb", "smart-card"],
    ["usb", "smart-card"],
  ],
  [["USB", "", 7, null, ["usb"], { toString: 1 }], []],
  [7, []],
  ["usb", []],
  [null, []],
])("of the transports %j, a new passkey has %j", async (transports, kept) => {
  const { passkeys, begin } = await open();
  const made = JSON.parse(createSoftwarePasskey(HOST, "a-ada").created({ challenge: await begin(), origin }));
  const credential = { ...made, response: { ...made.response, transports } };
  expect((await passkeys.verifyRegistration("a-ada", JSON.stringify(credential), "laptop")).transports).toEqual(kept);
});

test.each(["none", "http://127.0.0.1:8080", "http://[::1]:8080"])("there are no passkeys at the address %s", async (address) => {
  const { store, clock } = await open();
  const publicUrl = address === "none" ? undefined : address;
  const passkeys = new Passkeys({ store, clock, randomness: systemRandomness, publicUrl });
  const message = "This server does not support passkeys. Sign in with a password.";
  await refused(passkeys.requestOptions(), message);
  await refused(passkeys.creationOptions("a-ada", "ada@example.com"), message);
});

test("an operator's reset removes passkeys, and so does the deletion of the account", async () => {
  const { store, register } = await open();
  await register(createSoftwarePasskey(HOST, "a-ada"));
  expect(await store.removeTwoFactor("a-ada")).toBe(true);
  expect(await store.passkeysOf("a-ada")).toEqual([]);
  expect(await store.removeTwoFactor("a-ada")).toBe(false);
  await register(createSoftwarePasskey(HOST, "a-ada"));
  await store.deleteAccount("a-ada");
  expect(await store.passkeysOf("a-ada")).toEqual([]);
});
