// Two-factor authentication in a browser: turned on with an app that reads the QR code as it is displayed, used to sign in, and turned off.
// Every page and dialog in light, in dark and on a phone.

import { hashSecret } from "@quintet/guard";
import type { Browser, Locator, Page } from "playwright-core";
import decodeQR from "qr/decode.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { codeAt } from "../fixtures/authenticator.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { quickPasswords } from "../fixtures/quick-passwords.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { PASSWORD, signUp } from "./customer.ts";
import { LOOKS, layoutShift, type OpenPage, openPage, pageFaults, takePicture } from "./open-page.ts";

const SHIFT_MAX = 0.01;
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const HALF_MINUTE_MS = 30_000;

let browser: Browser;
let gateway: Gateway;
let passwordHash: string;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock });
  browser = await sharedBrowser();
  passwordHash = await quickPasswords.hash(PASSWORD);
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

// Somebody with two-factor authentication, whose last code was used a minute ago.
async function makeCautious(
  name: string,
  recoveryCodes: readonly string[] = ["none"],
): Promise<{ readonly email: string; readonly token: string }> {
  const { id, email, token } = await signUp(gateway, name);
  await gateway.store.prepareTwoFactor(id, SECRET);
  await gateway.store.turnOnTwoFactor(id, {
    secret: SECRET,
    step: Math.floor(systemClock.nowMs() / HALF_MINUTE_MS) - 2,
    recoveryHashes: recoveryCodes.map((code) => hashSecret(code.replaceAll("-", ""))),
    currentTokenHash: hashSecret(token),
  });
  return { email, token };
}

const open = (path: string, token?: string, look: keyof typeof LOOKS = "light"): Promise<OpenPage> =>
  openPage(browser, gateway.origin, path, LOOKS[look], token);

const code = (secret = SECRET): string => codeAt(secret, systemClock.nowMs());

// What an app's camera sees: the pixels of the picture as the browser renders it.
async function readQr(picture: Locator): Promise<string> {
  const png = (await picture.screenshot()).toString("base64");
  const camera = await browser.newPage();
  const { width, height, data } = await camera.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height);
    return { width: image.width, height: image.height, data: Array.from(pixels?.data ?? []) };
  }, png);
  await camera.close();
  return decodeQR({ width, height, data: Uint8Array.from(data) });
}

async function toCodeStep(page: Page, email: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Enter a code" }).waitFor();
}

async function look(page: Page, name: string): Promise<void> {
  await takePicture(page, name);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
}

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (way) => {
  test("no page or dialog has problems", async () => {
    const cautious = await makeCautious(way.replaceAll(" ", ""));
    const first = await open("/app/sign-in", undefined, way);
    await toCodeStep(first.page, cautious.email);
    await look(first.page, `${way} code`);
    expect(await first.page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("code");
    expect(first.faults).toEqual([]);
    await first.close();
    for (const [dialog, title] of [
      ["", ""],
      ["?do=recovery-codes", "New recovery codes"],
      ["?do=two-factor-off", "Turn off two-factor authentication"],
    ] as const) {
      const { page, faults, close } = await open(`/app/account${dialog}`, cautious.token, way);
      await page.getByText("Recovery codes left: 1 of 10").waitFor();
      await page.getByRole("dialog", { name: title }).waitFor({ state: dialog === "" ? "detached" : "visible" });
      await look(page, `${way} on ${title}`);
      expect(await layoutShift(page)).toBeLessThan(SHIFT_MAX);
      expect(faults).toEqual([]);
      await close();
    }
    const { token } = await signUp(gateway, `${way.replaceAll(" ", "")}.off`);
    const { page, faults, close } = await open("/app/account?do=two-factor", token, way);
    await page.getByRole("dialog", { name: "Turn on two-factor authentication" }).getByLabel("Your password").fill(PASSWORD);
    await look(page, `${way} off password`);
    await page.keyboard.press("Enter");
    const picture = page.getByRole("img", { name: "The secret as a QR code" });
    await picture.waitFor();
    await look(page, `${way} off secret`);
    expect(await readQr(picture)).toMatch(/^otpauth:\/\/totp\/Quintet:.*secret=[A-Z2-7]{32}/);
    expect(faults).toEqual([]);
    await close();
  });
});

test("somebody turns it on with the QR code, stores the recovery codes, and signs in with one of them", async () => {
  const { email, token } = await signUp(gateway, "ada");
  const { page, faults, close } = await open("/app/account", token);
  await page.getByRole("button", { name: "Turn on" }).click();
  const dialog = page.getByRole("dialog", { name: "Turn on two-factor authentication" });
  await dialog.getByLabel("Your password").fill("a wrong password");
  await page.keyboard.press("Enter");
  await dialog.getByText("Your password is wrong.").waitFor();
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  const uri = new URL(await readQr(dialog.getByRole("img", { name: "The secret as a QR code" })));
  const secret = uri.searchParams.get("secret") ?? "";
  await dialog.getByText(secret).waitFor();
  await dialog.getByRole("textbox", { name: "Code" }).fill("12345");
  await page.keyboard.press("Enter");
  await dialog.getByText("Code must be the 6 digits that your authenticator app shows.").waitFor();
  await dialog.getByRole("textbox", { name: "Code" }).fill(code(secret));
  await page.keyboard.press("Enter");
  const codes = page.getByRole("dialog", { name: "Your recovery codes" });
  const shown = ((await codes.locator("pre").textContent()) ?? "").split("\n");
  expect(shown).toHaveLength(10);
  await page.evaluate(() => history.back());
  await codes.getByText("Going back now would lose these codes for good.").waitFor();
  await look(page, "recovery codes");
  await codes.getByRole("button", { name: "I have saved them" }).click();
  await page.getByText("Recovery codes left: 10 of 10").waitFor();
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(secret);
  expect(faults).toEqual([]);
  await close();

  const again = await open("/app/sign-in?next=%2Fapp%2Fkeys");
  await toCodeStep(again.page, email);
  await again.page.getByLabel("Code").fill("k4v7-0q2m-x9ta-83hd");
  await again.page.keyboard.press("Enter");
  await again.page.getByText("Code is wrong, or was already used.").waitFor();
  await again.page.getByLabel("Code").fill(shown[3] ?? "");
  await again.page.keyboard.press("Enter");
  await again.page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
  expect(again.faults).toEqual([]);
  await again.close();
});

test("an expired challenge leads back to the password", async () => {
  const { email } = await makeCautious("bob");
  const owner = await gateway.store.findOwner(email);
  const { page, faults, close } = await open("/app/sign-in");
  await toCodeStep(page, email);
  await gateway.store.setOwnerPassword(owner?.accountId ?? "", passwordHash);
  await page.getByLabel("Code").fill(code());
  await page.keyboard.press("Enter");
  await page.getByText("This sign-in took too long, or the password was changed in the meantime.").waitFor();
  await page.getByRole("button", { name: "Start again" }).click();
  await toCodeStep(page, email);
  await page.getByLabel("Code").fill(code());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("new recovery codes and turning it off require the password and a code", async () => {
  const { email, token } = await makeCautious("dan", ["k4v7-0q2m-x9ta-83hd", "0000-0000-0000-0000"]);
  const { page, faults, close } = await open("/app/account", token);
  await page.getByRole("button", { name: "New recovery codes" }).click();
  const renew = page.getByRole("dialog", { name: "New recovery codes" });
  await renew.getByLabel("Your password").fill(PASSWORD);
  await renew.getByLabel("Code").fill("k4v7-0q2m-x9ta-83hd");
  await renew.getByRole("button", { name: "Create new codes" }).click();
  await page.getByRole("button", { name: "I have saved them" }).click();
  await page.getByText("Recovery codes left: 10 of 10").waitFor();
  await page.getByRole("button", { name: "Turn off" }).click();
  const off = page.getByRole("dialog", { name: "Turn off two-factor authentication" });
  await off.getByLabel("Your password").fill(PASSWORD);
  await off.getByLabel("Code").fill("0000-0000-0000-0000");
  await off.getByRole("button", { name: "Turn off" }).click();
  await off.getByText("Code is wrong, or was already used.").waitFor();
  await off.getByLabel("Code").fill(code());
  await off.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("button", { name: "Turn on" }).waitFor();
  expect((await gateway.store.findOwner(email))?.accountId).toBeDefined();
  expect(faults).toEqual([]);
  await close();
});

test("somebody with two-factor authentication deletes the account with a code", async () => {
  const { email, token } = await makeCautious("leaving");
  const { page, faults, close } = await open("/app/account", token);
  await page.getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await dialog.getByLabel(`Type ${email}`).fill(email);
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await dialog.getByText("Code is required, because two-factor authentication is on.").waitFor();
  await look(page, "delete with a code");
  await dialog.getByRole("textbox", { name: "Code" }).fill(code());
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("Your account has been deleted.").waitFor();
  expect({ account: await gateway.store.findAccount(email), faults }).toEqual({ account: undefined, faults: [] });
  await close();
});
