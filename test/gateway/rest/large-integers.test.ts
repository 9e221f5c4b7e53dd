// Integers of 64 bits: numbers in REST, strings in proto3 JSON.
import { create, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ListChainSchema } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { messageConversion } from "../../../src/gateway/rest/rest-encoder.ts";
import { compileText } from "../../../src/gateway/rest/rest-text.ts";

test.each([0, 1, 11_297_108_109, Number.MAX_SAFE_INTEGER])("a chain id of %d is a number in REST, like any below 2^53", (id) => {
  const chain = create(ListChainSchema, { chainId: BigInt(id), chain: "palm", tokenCount: 4 });
  expect(messageConversion(ListChainSchema)(chain)).toEqual({ chain_id: id, chain: "palm", token_count: 4 });
  expect(compileText(ListChainSchema)(chain).text).toBe(`{"chain_id":${id},"chain":"palm","token_count":4}`);
  expect(toJson(ListChainSchema, chain, { useProtoFieldName: true, alwaysEmitImplicit: true })).toEqual({
    chain_id: String(id),
    chain: "palm",
    token_count: 4,
  });
});
