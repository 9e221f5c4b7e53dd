// Which account the calls of a page name, and that the portal knows which methods work only on the user's own account.
import { expect, test } from "vitest";
import { OWN_ACCOUNT_METHODS } from "../../../portal/api/names-account.ts";
import { ACCOUNT_METHODS } from "../../../src/account/account-methods.ts";

test("the methods that work on the reader's own account are those that the server lets work on no other", () => {
  const own = [...ACCOUNT_METHODS.values()].filter(({ role }) => role === "self").map(({ desc }) => desc.name);
  expect([...OWN_ACCOUNT_METHODS].toSorted()).toEqual(own.toSorted());
});
