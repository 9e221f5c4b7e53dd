import { expect, test } from "vitest";
import { searchedFor } from "../../../portal/app/operator/key-search.ts";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";

const { secret } = generateKey(systemRandomness);

test.each([
  { typed: secret, kind: "key", key: secret },
  { typed: ` x-gateway-key: ${secret}\n`, kind: "key", key: secret },
  { typed: secret.slice(0, 20), kind: "key", key: secret.slice(0, 20) },
  { typed: `qk_test_${"a".repeat(100)}`, kind: "key", key: `qk_test_${"a".repeat(56)}` },
])("a key is recognised in $typed, so that it never gets into an address", ({ typed, kind, key }) => {
  expect(searchedFor(typed)).toEqual({ kind, key });
});

test.each(["wxyz", " wxyz ", "…wxyz", "...wxyz", "qk_live_…wxyz", "qk_test_07…wxyz"])(
  "the last four characters of a key are recognised in %s",
  (typed) => {
    expect(searchedFor(typed)).toEqual({ kind: "lastFour", lastFour: "wxyz" });
  },
);

test.each(["", "acme", "wxyzz", "wx-z", "ops@acme.example", "5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11"])(
  "%s is searched for among the accounts",
  (typed) => {
    expect(searchedFor(typed)).toEqual(
      typed === "acme" ? { kind: "lastFour", lastFour: "acme" } : { kind: "account", text: typed },
    );
  },
);
