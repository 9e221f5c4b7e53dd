// Passkeys in Chromium with its virtual authenticator: created, used to sign in without the password, and deleted.
import { createServer } from "node:net";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Sessions } from "../../src/account/sessions.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { quickPasswords } from "../fixtures/quick-passwords.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { PASSWORD } from "./customer.ts";
import { LOOKS, openPage, pageFaults, takePicture } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
let origin: string;
let passwordHash: string;
beforeAll(async () => {
  const port = await unusedPort();
  // Browsers create no passkeys for an IP address.
  origin = `http://localhost:${port}`;
  gateway = await startGateway({
    clock: systemClock,
    variables: { QUINTET_PORT: String(port), QUINTET_PUBLIC_URL: origin },
  });
  browser = await sharedBrowser();
  passwordHash = await quickPasswords.hash(PASSWORD);
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

const unusedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

// Somebody with an account, and the token of a session.
async function makeCustomer({ store } = gateway): Promise<string> {
  const id = systemRandomness.uuid();
  await store.createOwnedAccount({ id, name: id.slice(0, 20), email: `${id}@example.com` }, passwordHash);
  const deps = { store, passwords: quickPasswords, clock: systemClock, randomness: systemRandomness };
  return (await new Sessions(deps).begin({ accountId: id, passwordHash }))?.token ?? "";
}

async function addAuthenticator(page: Page): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

// What the authenticator signs for a sign-in, as the JSON of a PublicKeyCredential. An attacker would not ask for verification.
const signedOn = (page: Page, userVerification: "required" | "discouraged"): Promise<string> =>
  page.evaluate(async (verification) => {
    const request = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const { data } = await (await fetch("/account/v1/begin-passkey-sign-in", request)).json();
    const options = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(data.options_json));
    const credential = await navigator.credentials.get({ publicKey: { ...options, userVerification: verification } });
    return JSON.stringify(credential);
  }, userVerification);

test("a passkey is created, is renamed, signs in without the password, and is refused once it is deleted", async () => {
  const { page, faults, close } = await openPage(browser, origin, "/app/account", LOOKS.light, await makeCustomer());
  await addAuthenticator(page);
  await page.getByRole("button", { name: "Create passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Create passkey" });
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByLabel("Your password").fill("not the password");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("is wrong").first().waitFor();
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Create" }).click();
  const list = page.getByRole("list", { name: "Passkeys" });
  await list.getByText("Laptop").waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await takePicture(page, "passkeys");

  await page.getByRole("button", { name: "Rename passkey Laptop" }).click();
  const renaming = page.getByRole("dialog", { name: "Rename passkey Laptop" });
  await renaming.getByLabel("Name").fill("Work laptop");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await takePicture(page, "passkey rename");
  await renaming.getByRole("button", { name: "Rename" }).click();
  await list.getByText("Work laptop").waitFor();

  const signIn = async (): Promise<void> => {
    await page.context().clearCookies();
    await page.goto(`${origin}/app/sign-in`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  };
  await signIn();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.goto(`${origin}/app/activity`);
  await page.getByText("You signed in with passkey Work laptop").waitFor();
  await page.goto(`${origin}/app/account`);
  await page.getByRole("button", { name: "Delete passkey Work laptop" }).click();
  const deletion = page.getByRole("dialog", { name: "Delete passkey Work laptop" });
  await deletion.getByLabel("Your password").fill(PASSWORD);
  await deletion.getByRole("button", { name: "Delete" }).click();
  await list.waitFor({ state: "detached" });
  await signIn();
  await page.getByText("is not registered here").waitFor();
  expect(faults.filter((fault) => !/40[01]/.test(fault))).toEqual([]);
  await close();
});

test("what an authenticator signs works once, only with its user verified, and not from a copy", async () => {
  const { page, close } = await openPage(browser, origin, "/app/account", LOOKS.light, await makeCustomer());
  const { cdp, authenticatorId } = await addAuthenticator(page);
  await page.getByRole("button", { name: "Create passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Create passkey" });
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("list", { name: "Passkeys" }).waitFor();
  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
  const statusOf = async (credentialJson: string): Promise<number> =>
    (await page.request.post(`${origin}/account/v1/sign-in`, { data: { credential_json: credentialJson } })).status();

  const signed = await signedOn(page, "required");
  expect([await statusOf(signed), await statusOf(signed)]).toEqual([200, 400]);
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  expect(await statusOf(await signedOn(page, "discouraged"))).toBe(400);
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  expect(await statusOf(await signedOn(page, "required"))).toBe(200);
  // The copy was made before the passkey was used.
  await cdp.send("WebAuthn.clearCredentials", { authenticatorId });
  await cdp.send("WebAuthn.addCredential", { authenticatorId, credential: credentials[0] ?? expect.fail("there is no passkey") });
  expect(await statusOf(await signedOn(page, "required"))).toBe(400);
  await close();
});

test.each(Object.entries(LOOKS))("%s: the dialog and the page for signing in have no problems", async (name, look) => {
  const token = await makeCustomer();
  const { page, close } = await openPage(browser, origin, "/app/account?do=passkey", look, token);
  await page.getByRole("dialog", { name: "Create passkey" }).waitFor();
  await takePicture(page, `passkey dialog ${name}`);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await close();
  const other = await openPage(browser, origin, "/app/sign-in", look);
  await other.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  await takePicture(other.page, `passkey sign-in ${name}`);
  expect(await pageFaults(other.page)).toEqual({ sideways: 0, serious: [] });
  await other.close();
});

test("at another address of the server, the account page says where passkeys work, and the page for signing in offers none", async () => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/account", LOOKS.light, await makeCustomer());
  await page.getByText(`Passkeys work only at ${origin}.`).waitFor();
  expect(await page.getByRole("button", { name: "Create passkey" }).count()).toBe(0);
  await page.context().clearCookies();
  await page.goto("/app/sign-in");
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test("a server without a host name of its own does not mention passkeys, and one without mail promises no link", async () => {
  const other = await startGateway({ clock: systemClock });
  const { page, faults, close } = await openPage(browser, other.origin, "/app/account", LOOKS.light, await makeCustomer(other));
  await page.getByRole("heading", { name: "Delete account" }).waitFor();
  await page.getByRole("button", { name: "Turn on" }).waitFor();
  expect(await page.getByRole("heading", { name: "Passkeys" }).count()).toBe(0);
  await page.context().clearCookies();
  await page.goto("/app/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByText("This server does not send e-mail.").waitFor();
  expect(await page.getByRole("button", { name: "Send me a link" }).count()).toBe(0);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  expect(faults).toEqual([]);
  await close();
  await other.close();
});
