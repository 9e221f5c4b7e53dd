// How fast an account may change its keys and subscriptions.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { CreateKeyRequestSchema, ListKeysRequestSchema, UpdateKeyRequestSchema } from "../../../gen/quintet/account/v1/key_pb.js";
import { Failure } from "../../../src/problem/failure.ts";
import { me, openTwoAccounts, other } from "./two-accounts.ts";

test("changes to keys are rate-limited per account, and reading them is not", async () => {
  const { handlers, clock } = await openTwoAccounts();
  const { key } = await handlers.createKey(create(CreateKeyRequestSchema), me);
  const rename = (index: number) =>
    handlers.updateKey(create(UpdateKeyRequestSchema, { keyId: key?.id ?? "", name: `name ${index}` }), me);
  for (let index = 1; index < 120; index++) {
    await rename(index);
  }
  const tooFast = new Failure({
    reason: "RATE_LIMITED",
    message: "Too many changes to this account's keys and subscriptions; retry in 1 s.",
    retryAfterMs: 1000,
  });
  await expect(rename(120)).rejects.toEqual(tooFast);
  expect((await handlers.listKeys(create(ListKeysRequestSchema), me)).results?.[0]?.name).toBe("name 119");
  await handlers.createKey(create(CreateKeyRequestSchema), other);
  clock.advance(1000);
  await rename(121);
  await expect(rename(122)).rejects.toEqual(tooFast);
});
