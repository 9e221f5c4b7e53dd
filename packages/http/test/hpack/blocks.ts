// Header blocks in hexadecimal, and their headers as strings.
import type { HeaderBlock, HeaderListLimits, HpackDecoder } from "../../src/hpack/decoder.ts";
import type { HeaderField } from "../../src/hpack/header-field.ts";

export const LIMITS: HeaderListLimits = { listBytesMax: 16_384, fieldsMax: 100 };

/** Decodes one block from within a larger buffer, as in a frame. */
export function decodeHex(decoder: HpackDecoder, hex: string): HeaderBlock {
  const block = Buffer.from(`ff${hex}82`, "hex");
  return decoder.decode(block, 1, block.length - 1);
}

/** Decodes blocks one after another. */
export function decodeAll(decoder: HpackDecoder, blocks: readonly string[]): readonly HeaderBlock[] {
  return blocks.map((hex) => decodeHex(decoder, hex));
}

/** The headers of a block, each as `name: value`. */
export const fieldsOf = ({ fields }: HeaderBlock): readonly string[] => linesOf(fields);

/** Headers, each as `name: value`. */
export function linesOf(fields: readonly HeaderField[]): readonly string[] {
  return fields.map(({ name, value }) => `${name}: ${value}`);
}
