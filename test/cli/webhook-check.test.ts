// What `quintet doctor` says about webhooks.
import { expect, test } from "vitest";
import { checkWebhooks } from "../../src/cli/doctor/examination.ts";
import { readConfig } from "../../src/server-config.ts";

const findingsOf = (variables: Readonly<Record<string, string>>) => checkWebhooks(readConfig(variables).webhooks);

test("it warns if customers' webhooks may go to private addresses, and says nothing by default", () => {
  expect([findingsOf({}), findingsOf({ QUINTET_WEBHOOK_ADDRESSES: "public" })]).toEqual([[], []]);
  expect(findingsOf({ QUINTET_WEBHOOK_ADDRESSES: "private" })).toEqual([
    {
      state: "warn",
      subject: "webhooks",
      message: "customers can have requests sent to private addresses, and without TLS",
      advice: "Set QUINTET_WEBHOOK_ADDRESSES=public, unless you trust every customer with what only this machine can reach.",
    },
  ]);
});

test("any other value is refused, and a sandbox may reach private addresses unless it is told otherwise", () => {
  expect(() => readConfig({ QUINTET_WEBHOOK_ADDRESSES: "all" })).toThrow("QUINTET_WEBHOOK_ADDRESSES");
  expect(readConfig({}, { isSandbox: true }).webhooks).toEqual({ allowsPrivate: true });
  expect(readConfig({ QUINTET_WEBHOOK_ADDRESSES: "public" }, { isSandbox: true }).webhooks).toEqual({ allowsPrivate: false });
});
