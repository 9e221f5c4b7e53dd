// Header blocks of every kind, right and wrong, drawn by fast-check.
import fc from "fast-check";
import { writeHuffman } from "../../../src/http/hpack/huffman-encoding.ts";
import { writeInteger } from "../../../src/http/hpack/literals.ts";

const INDEXED = { first: 0x80, mask: 0x7f };
const WITH_INDEXING = { first: 0x40, mask: 0x3f };
const TABLE_SIZE = { first: 0x20, mask: 0x1f };
const NEVER_INDEXED = { first: 0x10, mask: 0x0f };
const WITHOUT_INDEXING = { first: 0x00, mask: 0x0f };

/** GET http://a/ without a trace in the table, so that what follows is a request's. */
const REQUEST = Buffer.from("828684010161", "hex");

function integer({ first, mask }: { first: number; mask: number }, value: number): Buffer {
  const into = Buffer.alloc(8);
  return into.subarray(0, writeInteger(into, 0, first, mask, value));
}

/** The same integer with a needless octet of zeros at its end, where it has more than one octet. */
const padded = (bytes: Buffer): Buffer =>
  bytes.length === 1 ? bytes : Buffer.from([...bytes.subarray(0, -1), (bytes.at(-1) ?? 0) | 0x80, 0x80, 0x00]);

function string(text: string, isHuffman: boolean): Buffer {
  const octets = isHuffman ? Buffer.alloc(4 * text.length) : Buffer.from(text, "latin1");
  const length = isHuffman ? writeHuffman(octets, 0, text) : octets.length;
  return Buffer.concat([integer({ first: isHuffman ? 0x80 : 0, mask: 0x7f }, length), octets.subarray(0, length)]);
}

/** Mostly names that no rule of HTTP is about. */
export const headerName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("x-a", "x-b", "x-long-name-of-a-header", "accept", "cache-control", "cookie") },
  { weight: 1, arbitrary: fc.stringMatching(/^x-[a-z0-9_.!-]{1,40}$/) },
);
export const headerValue = fc.oneof(
  fc.constantFrom("", "1", "application/grpc", "v".repeat(500)),
  fc.stringMatching(/^[!-~]{1,60}$/),
  fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((octets) => Buffer.from(octets.map((octet) => octet | 0x80)).toString("latin1")),
);
const dynamicIndex = fc.integer({ min: 62, max: 72 });
const kind = fc.constantFrom(WITH_INDEXING, WITH_INDEXING, WITHOUT_INDEXING, NEVER_INDEXED);

const spelt = fc
  .tuple(kind, headerName, fc.boolean(), headerValue, fc.boolean())
  .map(([first, text, isNameHuffman, content, isValueHuffman]) =>
    Buffer.concat([integer(first, 0), string(text, isNameHuffman), string(content, isValueHuffman)]),
  );
const named = fc
  .tuple(kind, fc.oneof(fc.constantFrom(16, 19, 24, 58, 60), dynamicIndex), headerValue, fc.boolean())
  .map(([first, index, content, isHuffman]) => Buffer.concat([integer(first, index), string(content, isHuffman)]));
const indexed = fc.oneof(fc.constantFrom(16, 19, 24, 51, 60), dynamicIndex).map((index) => integer(INDEXED, index));
const tableSize = fc
  .oneof({ weight: 8, arbitrary: fc.integer({ min: 1500, max: 4096 }) }, { weight: 1, arbitrary: fc.constantFrom(0, 60, 200) })
  .map((size) => integer(TABLE_SIZE, size));

/** What is wrong, or so odd that it might be. */
const odd = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 6 }).map((octets) => Buffer.from(octets)),
  fc.integer({ min: 0, max: 200 }).map((index) => padded(integer(INDEXED, index))),
  fc.nat({ max: 2 ** 31 - 1 }).map((index) => integer(INDEXED, index)),
  fc.nat({ max: 10_000 }).map((size) => integer(TABLE_SIZE, size)),
  fc
    .tuple(headerName, fc.uint8Array({ maxLength: 8 }))
    .map(([text, octets]) =>
      Buffer.concat([integer(WITHOUT_INDEXING, 0), string(text, false), Buffer.of(0x80 | octets.length), Buffer.from(octets)]),
    ),
);

const rightBlock = fc
  .tuple(fc.array(tableSize, { maxLength: 3 }), fc.array(fc.oneof(spelt, named, indexed, indexed), { maxLength: 6 }))
  .map(([sizes, headers]) => Buffer.concat([...sizes.slice(1), REQUEST, ...headers]));

const oddBlock = fc.tuple(rightBlock, odd, fc.boolean()).map(([block, tail, isCut]) => {
  const whole = Buffer.concat([block, tail]);
  return isCut ? whole.subarray(0, Math.max(REQUEST.length, whole.length - 2)) : whole;
});

/** Fills the table, so that indexes mostly find something. */
const FIRST_BLOCK = Buffer.concat([
  REQUEST,
  ...Array.from({ length: 20 }, (_, index) => [integer(WITH_INDEXING, 0), string(`x-${index}`, false), string("", false)]).flat(),
]);

/** Blocks of one connection, in turn; some come again at once, as a client's do. */
export const blocks = fc
  .array(
    fc.tuple(fc.oneof({ weight: 9, arbitrary: rightBlock }, { weight: 1, arbitrary: oddBlock }), fc.integer({ min: 1, max: 3 })),
    { minLength: 1, maxLength: 6 },
  )
  .map((drawn) => [FIRST_BLOCK, ...drawn.flatMap(([block, times]) => Array.from({ length: times }, () => block))]);
