// Every token of the sandbox's lists, and of a list of invented mints, is found by its address in every form that people paste.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { sandboxLists } from "../../../../src/sandbox/stand-ins/tokenlist/lists.ts";
import { SOLANA_ID } from "../../../../src/services/chains/main-networks.ts";
import { createYielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import { buildTokenIndex } from "../../../../src/services/tokenlist/index/token-index.ts";
import { checkList } from "../../../../src/services/tokenlist/lists/checked-list.ts";
import { readListDocument } from "../../../../src/services/tokenlist/lists/list-document.ts";
import { checked, row } from "../lists.ts";
import { formsNotFound } from "./pasted-forms.ts";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const mint = (number: number): string => {
  const bytes = createHash("sha512").update(`mint ${number}`).digest();
  return Array.from(bytes.subarray(0, 43 + (number % 2)), (byte) => BASE58.charAt(byte % 58)).join("");
};

test("every token is found by its address, whole, in groups, prefixed, shortened, and in the URLs of explorers", async () => {
  const turns = createYielder(systemClock);
  const mints = Array.from({ length: 100 }, (_, number) => row(number, { chainId: SOLANA_ID, address: mint(number) }));
  const lists = await Promise.all([
    ...sandboxLists(1)
      .slice(1)
      .map(async ({ key, document }) => ({
        name: key,
        checked: await checkList(readListDocument(document), turns),
      })),
    checked(mints).then((list) => ({ name: "mints", checked: list })),
  ]);
  const index = await buildTokenIndex(lists, turns);
  // All mints, and every hundredth of the 7,000 others.
  const tokens = index.tokens.filter(({ lists: [list] }, at) => list === "mints" || at % 100 === 0);
  expect(tokens.filter(({ chainId }) => chainId === BigInt(SOLANA_ID)).length).toBeGreaterThanOrEqual(100);
  expect(formsNotFound(index, tokens)).toEqual([]);
});
