// What happens to queued links when it is their turn to be mailed.
import { expect, onTestFinished, test } from "vitest";
import { MailedLinks } from "../../src/account/mailed-links.ts";
import type { MailDraft } from "../../src/mail/mail-queue.ts";
import { openStore } from "../../src/store/open.ts";
import { StoreUnavailable } from "../../src/store/store-errors.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";

async function open() {
  const clock = createManualClock({ nowMs: Date.UTC(2026, 10, 21, 12) });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createOwnedAccount({ id: "a-1", name: "ada", email: "ada@example.com" }, "hash");
  const drafts: MailDraft[] = [];
  const queue = { add: (draft: MailDraft) => drafts.push(draft) > 0 };
  const links = new MailedLinks({
    queue,
    publicUrl: "https://api.example.com",
    store,
    clock,
    randomness: createCountingRandomness(),
  });
  return { store, links, drafts };
}

test("an account that is deleted before its turn gets no mail, and a store that does not respond is queried again", async () => {
  const { store, links, drafts } = await open();
  links.sendVerification({ id: "a-1" }, "ada@example.com");
  links.sendReset("ada@example.com");
  const [verification, reset] = drafts;
  expect([(await verification?.())?.to, (await reset?.())?.to]).toEqual(["ada@example.com", "ada@example.com"]);
  await store.deleteAccount("a-1");
  expect([await verification?.(), await reset?.()]).toEqual([undefined, undefined]);
  await store.close();
  await expect(verification?.()).rejects.toThrow(StoreUnavailable);
});
