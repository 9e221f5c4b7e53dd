import { expect, test } from "vitest";
import { ScoreRequestSchema } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { protoExcess } from "../../../src/gateway/rpc/message.ts";

const DICE = 0x0a;
const EXCESS = "has more than 1000 values";
const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
const packed = (count: number): Uint8Array => Uint8Array.from([DICE, ...varint(count), ...Array<number>(count).fill(1)]);

test.for<[what: string, bytes: Uint8Array, excess: string | undefined]>([
  ["nothing", new Uint8Array(0), undefined],
  ["the most packed elements, including the field itself", packed(999), undefined],
  ["one more", packed(1000), EXCESS],
  ["260,880 packed elements", packed(260_880), EXCESS],
  ["130,500 unknown varints", new Uint8Array(261_000).fill(0x78), EXCESS],
  ["1,000 unknown varints", new Uint8Array(2000).fill(0x78), undefined],
  ["1,001 unknown varints", new Uint8Array(2002).fill(0x78), EXCESS],
  ["a long unknown string", Uint8Array.from([0x7a, ...varint(5000), ...Array<number>(5000).fill(0x61)]), undefined],
  ["a length beyond the end", Uint8Array.from([DICE, ...varint(100_000), ...Array<number>(5000).fill(1)]), undefined],
  ["empty groups", new Uint8Array(4000).fill(0x7b), EXCESS],
  ["a wire type that does not exist", new Uint8Array(4000).fill(0x7f), undefined],
])("of %s", ([, bytes, excess]) => {
  expect(protoExcess(ScoreRequestSchema, bytes)).toBe(excess);
});
