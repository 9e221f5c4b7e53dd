// Which account the calls of a page name, and that the portal knows which methods work only on the user's own account.
import { expect, test } from "vitest";
import { OWN_ACCOUNT_METHODS } from "../../../portal/api/names-account.ts";
import { ACCOUNT_METHODS } from "../../../src/account/account-methods.ts";

test("the portal knows exactly the methods that the server allows only on the user's own account", () => {
  const own = [...ACCOUNT_METHODS.values()].filter(({ role }) => role === "self").map(({ desc }) => desc.name);
  expect([...OWN_ACCOUNT_METHODS].toSorted()).toEqual(own.toSorted());
});
