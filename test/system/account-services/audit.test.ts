// Every change that a customer can make over the network is in the audit trail, with the owner as the actor and the address it came from.
import { expect, onTestFinished, test } from "vitest";
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
  const session: { token: string; account: { id: string } } = await call("POST", "sign-up", { email: "ada@example.com", password });
  const { token, account } = session;
  const made: { key: { id: string } } = await call("POST", "keys", { name: "ci" }, token);
  await call("PATCH", `keys/${made.key.id}`, { disabled: true }, token);
  await call("PATCH", `keys/${made.key.id}`, { name: "other" }, token);
  const rotated: { next: { id: string } } = await call("POST", `keys/${made.key.id}/rotate`, {}, token);
  await call("POST", `keys/${rotated.next.id}/revoke`, undefined, token);
  const { id }: { id: string } = await call("POST", "subscriptions", { service: "farkle" }, token);
  await call("POST", `subscriptions/${id}/request-plan`, { plan: "free" }, token);
  await call("POST", `subscriptions/${id}/cancel`, undefined, token);
  await call("POST", "change-password", { current_password: password, new_password: "battery horse correct" }, token);
  const { entries } = await gateway.store.auditPage({ accountId: account.id, limit: 100 });
  const owner = { kind: "owner", name: account.id, origin: "127.0.0.1" };
  expect(entries.map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
    ["account.change_password", owner, null],
    ["subscription.cancel", owner, id],
    ["subscription.activate", owner, id],
    ["subscription.create", owner, id],
    ["key.revoke", owner, rotated.next.id],
    ["key.rotate", owner, made.key.id],
    ["key.update", owner, made.key.id],
    ["key.disable", owner, made.key.id],
    ["key.create", owner, made.key.id],
    ["account.sign_up", { kind: "visitor", name: "", origin: "127.0.0.1" }, null],
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/qk_live_\w|correct/);
});
