import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TokenSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { findHomeTokens } from "../../../../src/services/tokenlist/index/home-tokens.ts";
import { address } from "../lists.ts";

test("a list with all of its tokens under one symbol makes no turn longer: a turn may end after any token", async () => {
  const tokens = Array.from({ length: 1000 }, (_, number) =>
    create(TokenSchema, { chainId: 1n, address: address(number), symbol: "SAME", name: `Token ${number}`, lists: ["one"] }),
  );
  let offers = 0;
  const turns = {
    due: () => {
      offers += 1;
      return false;
    },
    next: () => Promise.resolve(),
  };
  const homes = await findHomeTokens(tokens, turns);
  expect([homes.kindOf(0), homes.kindOf(1)]).toEqual(["home", "no"]);
  // Once while symbols are collected, and once while a symbol's home is found.
  expect(offers).toBe(2 * tokens.length);
});
