// HPACK compared with nghttp2: both decode the same blocks to the same headers, and each reads what the other writes.
import fc from "fast-check";
import { expect, test } from "vitest";
import { CompressionError } from "../../src/hpack/compression-error.ts";
import { HpackDecoder } from "../../src/hpack/decoder.ts";
import { HpackEncoder } from "../../src/hpack/encoder.ts";
import { FIELD_OVERHEAD_BYTES, type HeaderField } from "../../src/hpack/header-field.ts";
import { KnownFields } from "../../src/hpack/known-fields.ts";
import { fieldBytesMax, writeField, writeSecretField } from "../../src/hpack/literals.ts";
import { fieldsOf, linesOf } from "./blocks.ts";
import { type Decoded, decodeWithNghttp2, encodeWithNghttp2 } from "./nghttp2.ts";
import { blocks, headerName, headerValue } from "./odd-blocks.ts";

const LIMITS = { listBytesMax: 1_000_000, fieldsMax: 1000 };
const COMPRESSION_ERROR: Decoded = { goaway: 9 };

// nghttp2 drops an invalid host, such as the empty one in the static table.
const withoutHost = (decoded: Decoded): Decoded =>
  Array.isArray(decoded) ? decoded.filter((line: string) => !line.startsWith("host: ")) : decoded;

const hadBlanks = ({ name, value, bytes }: HeaderField): boolean => bytes > name.length + value.length + FIELD_OVERHEAD_BYTES;

/** Decodes blocks until one is invalid. */
function decode(given: readonly Buffer[]): readonly Decoded[] {
  const decoder = new HpackDecoder(LIMITS);
  const decoded: Decoded[] = [];
  for (const block of given) {
    try {
      // nghttp2 drops malformed headers, though it should refuse the request, and those with blanks around the value, which we strip.
      decoded.push(
        linesOf(decoder.decode(block, 0, block.length).fields.filter((field) => field.isWellFormed && !hadBlanks(field))),
      );
    } catch (error) {
      expect(error).toBeInstanceOf(CompressionError);
      return [...decoded, COMPRESSION_ERROR];
    }
  }
  return decoded;
}

const isReset = (decoded: Decoded): boolean => "reset" in decoded;
const isList = (decoded: Decoded): boolean => !(isReset(decoded) || decoded === COMPRESSION_ERROR);

test("blocks of every kind, valid and invalid, decode as in nghttp2", async () => {
  await fc.assert(
    fc.asyncProperty(blocks, async (given) => {
      const theirs = (await decodeWithNghttp2(given)).map(withoutHost);
      // nghttp2 resets what is not a request, which shows only that its block could be decoded.
      const ours = decode(given)
        .map(withoutHost)
        .map((decoded, index) => {
          const other = theirs[index] ?? [];
          return isReset(other) && isList(decoded) ? other : decoded;
        });
      expect(ours).toEqual(theirs);
    }),
    { numRuns: 500 },
  );
});

const PSEUDO = [":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a"];
const isSecret = fc.boolean();
const header = fc.tuple(headerName, headerValue, isSecret);

test("blocks from nghttp2 decode to its headers, whatever the table size", async () => {
  const requests = fc.array(fc.uniqueArray(header, { selector: ([name]) => name, maxLength: 12 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(requests, fc.oneof(fc.integer({ min: 0, max: 4096 }), fc.constant(4096)), async (given, tableBytesMax) => {
      const headers = given.map((request) => ({
        flat: [...PSEUDO, ...request.flatMap(([name, value]) => [name, `${value}`])],
        secrets: request.flatMap(([name, , secret]) => (secret ? [name] : [])),
      }));
      const decoder = new HpackDecoder(LIMITS);
      const decoded = (await encodeWithNghttp2(headers, tableBytesMax)).map((block) =>
        fieldsOf(decoder.decode(block, 0, block.length)),
      );
      expect(decoded).toEqual(headers.map(({ flat }) => linesOfFlat(flat)));
    }),
    { numRuns: 300 },
  );
});

const linesOfFlat = (flat: readonly string[]): readonly string[] =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${flat[index + 1]}`] : []));

test("nghttp2 decodes our blocks to the same headers, in every way of writing them", async () => {
  const way = fc.constantFrom("repeated", "changing", "plain", "secret");
  const requests = fc.array(
    fc.tuple(fc.option(fc.integer({ min: 0, max: 4096 })), fc.array(fc.tuple(header, way), { maxLength: 12 })),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  await fc.assert(
    fc.asyncProperty(requests, async (given) => {
      const encoder = new HpackEncoder(new KnownFields());
      const into = Buffer.alloc(1 << 16);
      const written = given.map(([tableBytesMax, headers]) => {
        if (tableBytesMax !== null) {
          encoder.setTableBytesMax(tableBytesMax);
        }
        let at = encoder.startBlock(into, 0);
        const lines: string[] = [];
        for (const [name, value, write] of [
          ...REQUEST_HEADERS,
          ...headers.map(([[name, value], how]) => [name, value, how] as const),
        ]) {
          const start = at;
          at = WRITE[write](encoder, into, at, name, value);
          expect(at - start).toBeLessThanOrEqual(fieldBytesMax(name, value));
          lines.push(`${name}: ${value}`);
        }
        return { block: Buffer.from(into.subarray(0, at)), lines };
      });
      expect(await decodeWithNghttp2(written.map(({ block }) => block))).toEqual(written.map(({ lines }) => lines));
    }),
    { numRuns: 300 },
  );
});

type Way = "repeated" | "changing" | "plain" | "secret";
const REQUEST_HEADERS = [0, 2, 4, 6].map(
  (index) => [PSEUDO[index] ?? "", PSEUDO[index + 1] ?? "", "plain"] as [string, string, Way],
);
const WRITE: Record<Way, (encoder: HpackEncoder, into: Uint8Array, at: number, name: string, value: string) => number> = {
  repeated: (encoder, into, at, name, value) => encoder.writeRepeatedField(into, at, name, value),
  changing: (encoder, into, at, name, value) => encoder.writeChangingField(into, at, name, value),
  plain: (_encoder, into, at, name, value) => writeField(into, at, name, value),
  secret: (_encoder, into, at, name, value) => writeSecretField(into, at, name, value),
};

test("random bytes are decoded or refused, within the limits", () => {
  const small = { listBytesMax: 500, fieldsMax: 10 };
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (given) => {
      const decoder = new HpackDecoder(small);
      for (const bytes of given) {
        try {
          const { fields } = decoder.decode(Buffer.from(bytes), 0, bytes.length);
          expect(fields.length).toBeLessThanOrEqual(small.fieldsMax);
          expect(fields.reduce((sum, field) => sum + field.bytes, 0)).toBeLessThanOrEqual(small.listBytesMax);
        } catch (error) {
          expect(error).toBeInstanceOf(CompressionError);
          return;
        }
      }
    }),
    { numRuns: 2000 },
  );
});
