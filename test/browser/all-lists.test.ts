// The browser suite opens no page of tokens before every list has been read.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { type TokenListSchema, TokenListService } from "../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { readAllLists } from "./all-lists.ts";

type List = MessageInitShape<typeof TokenListSchema>;

test("a list that has not been read, and so has no time, is waited for", async () => {
  const read = { name: "read", freshness: { fetchedAt: timestampFromMs(1) } };
  const responses: (readonly List[])[] = [
    [read, { name: "late" }],
    [read, { name: "late", freshness: { fetchedAt: timestampFromMs(2) } }],
  ];
  const transport = createRouterTransport(({ service }) => {
    service(TokenListService, { listLists: () => ({ results: [...(responses.shift() ?? [])] }) });
  });
  await readAllLists(transport);
  expect(responses).toEqual([]);
});
