// The largest size of a request follows from its rules: every valid request fits, however it is written, and not much more does.
import type { DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { RadioService } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { requestBytesMax } from "../../../src/gateway/rpc/method.ts";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";

// Every character as an escape, and each value on its own line.
const written = (message: object): string =>
  JSON.stringify(message, undefined, 10).replace(
    /[a-z0-9]/gi,
    (character) => `\\u00${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
const percent = (text: string): string => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const UUIDS = Array.from({ length: 100 }, () => "960cf833-0601-11e8-ae97-52543be04c81");

test.for<{ what: string; desc: DescMessage; text: string; bytesMax: number }>([
  { what: "a roll", desc: FarkleService.method.score.input, text: written({ dice: [1, 2, 3, 4, 5, 6] }), bytesMax: 4096 },
  {
    what: "a hundred stations",
    desc: RadioService.method.batchGetStations.input,
    text: written({ stationuuids: UUIDS }),
    bytesMax: 50_000,
  },
  {
    what: "a search of four-byte characters in a form",
    desc: TokenListService.method.searchTokens.input,
    text: `query=${percent("😀".repeat(256))}`,
    bytesMax: 4096,
  },
])("$what fits, however it is written", ({ desc, text, bytesMax }) => {
  const bytes = requestBytesMax(desc);
  expect([text.length <= bytes, bytes <= bytesMax]).toEqual([true, true]);
});

test.each([
  { what: "a list of strings", desc: TokenPriceService.method.getPrices.input, isBounded: true },
  { what: "a string without a bound", desc: LibraryService.method.echo.input, isBounded: false },
])("$what: bounded is $isBounded", ({ desc, isBounded }) => {
  expect(Number.isFinite(requestBytesMax(desc))).toBe(isBounded);
});
