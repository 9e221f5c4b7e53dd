// Which account the calls of a page name, and that the portal knows which methods work only on the user's own account.
import { expect, test } from "vitest";
import { OWN_ACCOUNT_SERVICE } from "../../../portal/api/names-account.ts";
import { ACCOUNT_METHODS } from "../../../src/account/account-methods.ts";

test("the portal knows the service that the server allows only on the user's own account, and no other service has such methods", () => {
  const own = [...ACCOUNT_METHODS.values()].filter(({ role }) => role === "self").map(({ desc }) => desc.parent.typeName);
  expect([...new Set(own)]).toEqual([OWN_ACCOUNT_SERVICE]);
  const others = [...ACCOUNT_METHODS.values()].filter(
    ({ desc, role }) => desc.parent.typeName === OWN_ACCOUNT_SERVICE && role !== "self",
  );
  expect(others).toEqual([]);
});
