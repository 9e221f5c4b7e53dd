// Which key a sample of the reference is called with.
import { expect, test } from "vitest";
import { ConsoleKeyError } from "../../../portal/api/console-key.ts";
import { type KnownKeys, sampleKey } from "../../../portal/reference/sample-key.ts";

const consoleKeys = { get: async () => "qk_live_console" };
const ended = { get: () => Promise.reject(new ConsoleKeyError("SESSION_INVALID", "The session has ended.")) };
const PUBLIC = "qk_test_public";
const NO_KEYS: KnownKeys = { typed: "", isMember: false, publicSecret: undefined, consoleKeys };

test.each<[string, Partial<KnownKeys>, string | undefined]>([
  ["nobody on a server without a public key", {}, undefined],
  ["a visitor on a server with a public key", { publicSecret: PUBLIC }, "with this server's public key"],
  ["a member", { isMember: true, publicSecret: PUBLIC }, "with a key from your account"],
  [
    "a member whose session has ended",
    { isMember: true, publicSecret: PUBLIC, consoleKeys: ended },
    "with this server's public key",
  ],
  ["a member who typed a key", { typed: "qk_live_0123", isMember: true, publicSecret: PUBLIC }, "with your key …0123"],
])("%s", async (_, known, description) => {
  expect((await sampleKey({ ...NO_KEYS, ...known }))?.description).toBe(description);
});

test("a member whose session has ended is told so if there is no public key", async () => {
  await expect(sampleKey({ ...NO_KEYS, isMember: true, consoleKeys: ended })).rejects.toThrow("The session has ended.");
});
