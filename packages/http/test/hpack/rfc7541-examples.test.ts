// The examples of https://www.rfc-editor.org/rfc/rfc7541#appendix-C
import { expect, test } from "vitest";
import { HpackDecoder } from "../../src/hpack/decoder.ts";
import { decodeAll, fieldsOf, LIMITS } from "./blocks.ts";

/** The table size update before the example responses, whose table has 256 bytes. */
const TABLE_OF_256 = "3fe101";

const DATE_1 = "Mon, 21 Oct 2013 20:13:21 GMT";
const DATE_2 = "Mon, 21 Oct 2013 20:13:22 GMT";
const LOCATION = "https://www.example.com";
const COOKIE = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";

const REQUESTS = [
  [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"],
  [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com", "cache-control: no-cache"],
  [":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com", "custom-key: custom-value"],
];

const RESPONSES = [
  [":status: 302", "cache-control: private", `date: ${DATE_1}`, `location: ${LOCATION}`],
  [":status: 307", "cache-control: private", `date: ${DATE_1}`, `location: ${LOCATION}`],
  [
    ":status: 200",
    "cache-control: private",
    `date: ${DATE_2}`,
    `location: ${LOCATION}`,
    "content-encoding: gzip",
    `set-cookie: ${COOKIE}`,
  ],
];

const literal = (text: string): string => Buffer.from(text).toString("hex");

test.each([
  {
    example: "C.2.1 a literal with indexing",
    blocks: [`400a${literal("custom-key")}0d${literal("custom-header")}`, "be"],
    lists: [["custom-key: custom-header"], ["custom-key: custom-header"]],
  },
  {
    example: "C.2.2 a literal without indexing",
    blocks: [`040c${literal("/sample/path")}`],
    lists: [[":path: /sample/path"]],
  },
  {
    example: "C.2.3 a literal that is never indexed",
    blocks: [`1008${literal("password")}06${literal("secret")}`],
    lists: [["password: secret"]],
  },
  { example: "C.2.4 an indexed header", blocks: ["82"], lists: [[":method: GET"]] },
  {
    example: "C.3 requests without Huffman coding",
    blocks: [
      `828684410f${literal("www.example.com")}`,
      `828684be5808${literal("no-cache")}`,
      `828785bf400a${literal("custom-key")}0c${literal("custom-value")}`,
    ],
    lists: REQUESTS,
  },
  {
    example: "C.4 requests with Huffman coding",
    blocks: ["828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf", "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"],
    lists: REQUESTS,
  },
  {
    example: "C.5 responses without Huffman coding",
    blocks: [
      `${TABLE_OF_256}4803${literal("302")}5807${literal("private")}611d${literal(DATE_1)}6e17${literal(LOCATION)}`,
      `4803${literal("307")}c1c0bf`,
      `88c1611d${literal(DATE_2)}c05a04${literal("gzip")}7738${literal(COOKIE)}`,
    ],
    lists: RESPONSES,
  },
  {
    example: "C.6 responses with Huffman coding",
    blocks: [
      `${TABLE_OF_256}488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3`,
      "4883640effc1c0bf",
      "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
    ],
    lists: RESPONSES,
  },
])("RFC 7541, $example", ({ blocks, lists }) => {
  expect(decodeAll(new HpackDecoder(LIMITS), blocks).map(fieldsOf)).toEqual(lists);
});
