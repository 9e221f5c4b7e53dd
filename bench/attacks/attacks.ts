// What attackers send, and how often. Each attack was found to stop an earlier version.
import { gzipSync } from "node:zlib";
import { overH2 } from "../../test/system/costs/requests.ts";

/** One attack. */
export interface Attack {
  readonly name: string;
  readonly isSourceSlow?: true;
  /** Whether the token lists are hostile too. Otherwise nothing serves them. */
  readonly isListsHostile?: true;
  /** What its victim requests, fifty times a second by default. */
  readonly victim?: { readonly path: string; readonly perSecond: number };
  /** Whether all connections share one key. */
  readonly isOneCustomer?: true;
  readonly connections: number;
  /** How often each connection sends. */
  readonly perSecond: number;
  /** Sent once at the start of each connection. */
  readonly opening?: Uint8Array;
  /** The piece at an index, of the connection with this key. */
  readonly piece: (index: number, key: string) => Uint8Array;
}

const LENGTH = 8180;
// https://www.rfc-editor.org/rfc/rfc9113#section-4.1
const FRAME_HEAD_BYTES = 9;
const STREAM_AT = 5;
const SLASHES = "/".repeat(LENGTH);
const SCORE = "/quintet.farkle.v1.FarkleService/Score";

const get = (target: string, key?: string): Buffer =>
  Buffer.from(`GET ${target} HTTP/1.1\r\nhost: a.example\r\n${key === undefined ? "" : `x-gateway-key: ${key}\r\n`}\r\n`);
const post = (message: Uint8Array, key: string): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST ${SCORE} HTTP/1.1\r\nhost: a.example\r\nx-gateway-key: ${key}\r\ncontent-type: application/proto\r\n` +
        `content-encoding: gzip\r\ncontent-length: ${message.length}\r\n\r\n`,
    ),
    message,
  ]);

const indexed = overH2({ target: `/${"/".repeat(3700)}` });
const indexedRequest = Buffer.from(indexed.bytes).subarray(0, FRAME_HEAD_BYTES + Buffer.from(indexed.bytes).readUIntBE(0, 3));
const onStream = (stream: number): Buffer => {
  const request = Buffer.from(indexedRequest);
  request.writeUInt32BE(stream, STREAM_AT);
  return request;
};
// 130,500 unknown fields, and 260,880 dice.
const unknown = gzipSync(Buffer.alloc(261_000, Buffer.from([0x78, 0x01])), { level: 9 });
const packed = gzipSync(Buffer.concat([Buffer.from([0x0a, 0x90, 0xf6, 0x0f]), Buffer.alloc(260_880, 1)]), { level: 9 });
const chart = (index: number): string => {
  const tokens = Array.from({ length: 100 }, (_, at) => `coingecko:token-${index}-${at}`);
  return `/token-price/v1/chart?span=50&period=1d&tokens=${tokens.join(",")}`;
};

/** All attacks. */
export const ATTACKS: readonly Attack[] = [
  { name: "a path of 8,180 slashes", connections: 4, perSecond: 40, piece: () => get(SLASHES) },
  {
    name: "a path of slashes from the table of HTTP/2, fifty at a time",
    connections: 4,
    perSecond: 5,
    opening: indexed.opening,
    piece: (index) => Buffer.concat(Array.from({ length: 50 }, (_, at) => onStream(3 + 2 * (50 * index + at)))),
  },
  {
    name: "289 bytes of gzip with 130,500 unknown fields",
    connections: 4,
    perSecond: 25,
    piece: (_, key) => post(unknown, key),
  },
  { name: "gzip with 260,880 dice", connections: 4, perSecond: 25, piece: (_, key) => post(packed, key) },
  {
    name: "searches of a hostile radio directory: 1.1 million tags, depth, rows without end",
    connections: 4,
    perSecond: 8,
    piece: (index, key) => get(`/radio/v1/search?limit=500&name=${key.slice(-6)}${index}`, key),
  },
  {
    name: "calls of Bitcoin and prices with hostile sources",
    connections: 4,
    perSecond: 8,
    piece: (index, key) =>
      index % 2 === 0
        ? get("/bitcoin/v1/mayer", key)
        : get(`/token-price/v1/historical?tokens=coingecko:bitcoin&timestamp=${1_700_000_000 + index}`, key),
  },
  {
    name: "hostile token lists of 10,000 tokens, which are read and searched",
    isListsHostile: true,
    connections: 1,
    perSecond: 5,
    piece: (index, key) => get(`/token-list/v1/search?query=s${index}`, key),
  },
  {
    name: "thirty charts of 100 tokens a second of one customer, with the source 300 ms away",
    isSourceSlow: true,
    victim: { path: "/token-price/v1/price?tokens=coingecko:other", perSecond: 2 },
    connections: 30,
    perSecond: 1,
    isOneCustomer: true,
    piece: (index, key) => get(chart(index), key),
  },
];
