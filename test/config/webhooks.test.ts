import { expect, test } from "vitest";
import { readConfig } from "../../src/server-config.ts";

test("webhooks go to public addresses only, unless that is said, or in a sandbox", () => {
  expect(readConfig({}).webhooks).toEqual({ allowsPrivate: false });
  expect(readConfig({ QUINTET_WEBHOOK_ADDRESSES: "private" }).webhooks).toEqual({ allowsPrivate: true });
  expect(() => readConfig({ QUINTET_WEBHOOK_ADDRESSES: "all" })).toThrow("QUINTET_WEBHOOK_ADDRESSES");
  expect(readConfig({}, { isSandbox: true }).webhooks).toEqual({ allowsPrivate: true });
  expect(readConfig({ QUINTET_WEBHOOK_ADDRESSES: "public" }, { isSandbox: true }).webhooks).toEqual({ allowsPrivate: false });
});
