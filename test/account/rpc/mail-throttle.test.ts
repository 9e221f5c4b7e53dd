// How many e-mails a mailbox gets, however its address is spelt.
import { expect, test } from "vitest";
import { MailThrottle } from "../../../src/account/rpc/mail-throttle.ts";
import { problemOf } from "../../../src/problem/failure.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

function openThrottle() {
  const clock = createManualClock({ nowMs: 0 });
  const throttle = new MailThrottle(clock);
  const take = (kind: Parameters<MailThrottle["take"]>[0], email: string): string => {
    try {
      throttle.take(kind, email);
      return "OK";
    } catch (error) {
      return problemOf(error).reason;
    }
  };
  return { clock, take };
}

test("the tags of an address and its dots share one limit: three e-mails at once, and another every ten minutes", () => {
  const { clock, take } = openThrottle();
  const spellings = ["ada.lovelace@example.com", "adalovelace+1@example.com", "a.d.a.lovelace+2+3@example.com"];
  expect(spellings.map((email) => take("sign_up", email))).toEqual(["OK", "OK", "OK"]);
  expect(take("sign_up", "ada.lovelace+4@example.com")).toBe("RATE_LIMITED");
  clock.advance(600_000);
  expect(["+5", "+6"].map((tag) => take("sign_up", `adalovelace${tag}@example.com`))).toEqual(["OK", "RATE_LIMITED"]);
});

test.each([
  ["another kind of e-mail", "reset", "ada@example.com"],
  ["another name", "sign_up", "grace@example.com"],
  ["another host", "sign_up", "ada@mail.example.com"],
  ["a name that begins with a plus sign", "sign_up", "+ada@example.com"],
] as const)("%s has its own limit", (_, kind, email) => {
  const { take } = openThrottle();
  for (let sent = 0; sent < 3; sent += 1) {
    take("sign_up", "ada@example.com");
  }
  expect([take("sign_up", "ada@example.com"), take(kind, email)]).toEqual(["RATE_LIMITED", "OK"]);
});

test("names that begin with different plus signs do not share a limit", () => {
  const { take } = openThrottle();
  const emails = ["+one@example.com", "+two@example.com", "+three@example.com", "+four@example.com"];
  expect(emails.map((email) => take("sign_up", email))).toEqual(["OK", "OK", "OK", "OK"]);
});
