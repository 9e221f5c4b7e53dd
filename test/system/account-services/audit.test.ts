// Every change that a customer can make over the network is in the audit trail, with the owner as the actor and the address it came from.
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { startGateway } from "../../fixtures/gateway.ts";

test("an owner's changes are recorded as theirs, with the address of the connection", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const call = async (method: string, path: string, body: object | undefined, token = "") => {
    const response = await fetch(`${gateway.origin}/account/v1/${path}`, {
      method,
      headers: { "content-type": "application/json", ...(token !== "" && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect([path, response.status]).toEqual([path, 200]);
    return ((await response.json()) as { data: Record<string, never> }).data as never;
  };
  const password = "correct horse battery";
  const started: { session: { token: string; account: { id: string } } } = await call("POST", "sign-up", {
    email: "ada@example.com",
    password,
  });
  const { token, account } = started.session;
  const created: { key: { id: string } } = await call("POST", "keys", { name: "ci" }, token);
  await call("PATCH", `keys/${created.key.id}`, { disabled: true }, token);
  await call("PATCH", `keys/${created.key.id}`, { name: "other" }, token);
  const rotated: { next: { id: string } } = await call("POST", `keys/${created.key.id}/rotate`, {}, token);
  await call("DELETE", `keys/${rotated.next.id}`, undefined, token);
  const { subscription }: { subscription: { id: string } } = await call("PUT", "subscriptions/farkle", { plan: "free" }, token);
  const { id } = subscription;
  await call("PUT", "subscriptions/farkle", { plan: "free" }, token);
  await call("DELETE", "subscriptions/farkle", undefined, token);
  await call("POST", "change-password", { current_password: password, new_password: "battery horse correct" }, token);
  const { entries } = await gateway.store.auditPage({ accountId: account.id, limit: 100 });
  const owner = { kind: "owner", name: account.id, origin: "127.0.0.1" };
  expect(entries.map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
    ["account.change_password", owner, null],
    ["subscription.cancel", owner, id],
    ["subscription.activate", owner, id],
    ["subscription.create", owner, id],
    ["key.revoke", owner, rotated.next.id],
    ["key.rotate", owner, created.key.id],
    ["key.update", owner, created.key.id],
    ["key.disable", owner, created.key.id],
    ["key.create", owner, created.key.id],
    ["account.sign_in", owner, null],
    ["account.sign_up", { kind: "visitor", name: "", origin: "127.0.0.1" }, null],
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/qk_live_\w|correct/);
});

interface Page {
  readonly results: readonly { readonly action: string; readonly actor: object; readonly details: readonly object[] }[];
  readonly next_page_token?: string;
  readonly kept_days: number;
}

test("a customer lists what was done to the account, without what concerns operators alone", async () => {
  const gateway = await startGateway({ clock: systemClock });
  onTestFinished(() => gateway.close());
  const { store, origin } = gateway;
  const headers = { "content-type": "application/json", "user-agent": "curl/8.0" };
  const send = async (method: string, path: string, body: object, token = "") => {
    const init = { method, headers: { ...headers, authorization: `Bearer ${token}` }, body: JSON.stringify(body) };
    const response = await fetch(`${origin}/account/v1/${path}`, init);
    const { data, message } = (await response.json()) as { data: never; message: string };
    expect([path, response.status, message]).toEqual([path, 200, expect.any(String)]);
    return data as { subscription: { id: string }; session: { token: string; account: { id: string } } };
  };
  const get = async (query: string, token: string) => {
    const response = await fetch(`${origin}/account/v1/activity?${query}`, { headers: { authorization: `Bearer ${token}` } });
    return (await response.json()) as { data: Page; error: { details: object }; message: string };
  };
  const password = "correct horse battery";
  const { token, account } = (await send("POST", "sign-up", { email: "ada@example.com", password })).session;
  const other = await send("POST", "sign-up", { email: "bob@example.com", password });
  const { subscription } = await send("PUT", "subscriptions/farkle", { plan: "free" }, token);
  const expires_at = Math.floor(systemClock.nowMs() / 1000) + 900;
  await send("POST", "keys", { name: "Console", expires_at }, token);
  const alice = store.by({ kind: "operator", name: "alice", origin: "host-1" });
  await alice.credit(subscription.id, "2027-01", 50, "an outage");
  await store
    .by({ kind: "signed_in_operator", name: other.session.account.id, origin: "192.0.2.9" })
    .setSuspended(account.id, false);

  const owner = { kind: "owner", address: "127.0.0.1", email: "ada@example.com" };
  const operator = { kind: "operator" };
  const all = await get("", token);
  expect(all.data.results.map(({ action, actor }) => [action, actor])).toEqual([
    ["account.resume", operator],
    ["quota.credit", operator],
    ["subscription.create", owner],
    ["account.sign_in", owner],
    ["account.sign_up", { kind: "visitor", address: "127.0.0.1" }],
  ]);
  expect([all.data.results.length, all.data.next_page_token, all.data.kept_days]).toEqual([5, undefined, 400]);
  expect(all.data.results[3]?.details).toEqual([{ name: "user_agent", value: "curl/8.0" }]);
  expect(JSON.stringify(all)).not.toMatch(/alice|host-1|outage|192\.0\.2\.9|bob/);

  const actionsOf = async (query: string) => (await get(query, token)).data.results.map(({ action }) => action);
  expect(await actionsOf("actions=key")).toEqual([]);
  expect(await actionsOf("actions=key&include_short_lived_keys=true")).toEqual(["key.create"]);
  expect(await actionsOf("actions=quota.credit&actions=account.sign_in")).toEqual(["quota.credit", "account.sign_in"]);
  expect(await actionsOf(`since=${expires_at}`)).toEqual([]);
  expect(await actionsOf(`until=${expires_at}`)).toHaveLength(5);
  const first = await get("page_size=3", token);
  expect(await actionsOf(`page_size=3&page_token=${first.data.next_page_token}`)).toEqual(["account.sign_in", "account.sign_up"]);

  const messageOf = async (query: string) => (await get(query, token)).message;
  expect(await messageOf("actions=key.revok")).toBe(
    'actions[0] is not an action of the audit trail: "key.revok"; did you mean key.revoke?',
  );
  expect(await messageOf("page_token=first")).toBe("page_token must be the next_page_token of an earlier page");
  expect(await messageOf("since=1760000000&until=1760000000")).toBe("until must be after since");
  expect(await messageOf("page_size=201")).toContain("page_size");
});
