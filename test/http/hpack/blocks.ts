// Header blocks in hexadecimal, and what they say as text.
import type { HeaderBlock, HeaderListLimits, HpackDecoder } from "../../../src/http/hpack/decoder.ts";
import type { HeaderField } from "../../../src/http/hpack/header-field.ts";

export const LIMITS: HeaderListLimits = { listBytesMax: 16_384, fieldsMax: 100 };

/** Decodes one block, which stands in the midst of a buffer as a frame's does. */
export function decodeHex<Facts>(decoder: HpackDecoder<Facts>, hex: string): HeaderBlock<Facts> {
  const block = Buffer.from(`ff${hex}82`, "hex");
  return decoder.decode(block, 1, block.length - 1);
}

/** Decodes blocks one after the other. */
export function decodeAll<Facts>(decoder: HpackDecoder<Facts>, blocks: readonly string[]): readonly HeaderBlock<Facts>[] {
  return blocks.map((hex) => decodeHex(decoder, hex));
}

/** The headers of a block, each as `name: value`. */
export const fieldsOf = ({ fields }: HeaderBlock<unknown>): readonly string[] => linesOf(fields);

/** Headers, each as `name: value`. */
export function linesOf(fields: readonly HeaderField[]): readonly string[] {
  return fields.map(({ name, value }) => `${name}: ${value}`);
}
