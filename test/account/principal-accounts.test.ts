import { hashSecret } from "@quintet/guard";
import { expect, onTestFinished, test } from "vitest";
import { ensurePrincipalAccounts } from "../../src/account/principal-accounts.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import type { MeshPrincipal } from "../../src/catalogue/principals.ts";
import type { Log } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";

const principal = (plans: MeshPrincipal["plans"]): MeshPrincipal => ({ name: "shop", identities: ["shop.example"], plans });

async function scene() {
  const clock = createManualClock({ nowMs: Date.UTC(2026, 10, 21) });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "server" });
  onTestFinished(() => store.close());
  const warned: unknown[] = [];
  const write = (): void => {};
  const log: Log = { debug: write, info: write, error: write, warn: (fields: unknown) => void warned.push(fields) };
  const ensure = (plans: MeshPrincipal["plans"]): Promise<void> =>
    ensurePrincipalAccounts({ store, plans: loadPlans(undefined), randomness: systemRandomness, log }, [principal(plans)]);
  const state = async (): Promise<unknown> => {
    const accounts = await store.accountsAfter("", 1000);
    const credential = await store.findCredential(hashSecret("mesh:shop"));
    const keys = await store.listKeys(accounts[0]?.id ?? "");
    return {
      accounts: accounts.map(({ name, email }) => [name, email]),
      keys: keys.map(({ name, prefix, lastFour }) => `${name} ${prefix}…${lastFour}`),
      plans: credential?.subscriptions.map(({ service, terms }) => `${service} ${terms.name}`),
    };
  };
  return { store, ensure, state, warned };
}

const created = (...plans: string[]) => ({ accounts: [["mesh:shop", null]], keys: ["client certificates mesh:…cert"], plans });

test("servers that start together give a principal one account, one credential and its subscriptions", async () => {
  const { ensure, state } = await scene();
  const plans = { farkle: "free", radio: "free" };
  await Promise.all(Array.from({ length: 4 }, () => ensure(plans)));
  expect(await state()).toEqual(created("farkle free", "radio free"));
});

test("a second start applies the changes in the file, and changes nothing else", async () => {
  const { store, ensure, state } = await scene();
  await ensure({ farkle: "free", radio: "free" });
  const changes: unknown[] = [];
  store.onChange((accountId) => changes.push(accountId));
  await ensure({ farkle: "free", radio: "free" });
  const untouched = changes.length;
  await ensure({ farkle: "pro" });
  expect({ untouched, state: await state() }).toEqual({ untouched: 0, state: created("farkle pro") });
});

test("a principal that an operator has suspended or disabled stays that way, and this is logged", async () => {
  const { store, ensure, warned } = await scene();
  await ensure({ farkle: "free" });
  const [account] = await store.accountsAfter("", 1000);
  await store.setSuspended(account?.id ?? "", true);
  await ensure({ farkle: "free" });
  expect([(await store.findAccount("mesh:shop"))?.suspended, warned]).toEqual([true, [{ account: "mesh:shop" }]]);
});
