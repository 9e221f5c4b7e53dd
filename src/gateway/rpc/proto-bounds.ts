// Counts the values of a binary protobuf message before it is parsed, in one pass over its bytes. A few hundred bytes of gzip can contain a
// hundred thousand fields, and a parser turns each into an object or a number. https://protobuf.dev/programming-guides/encoding/
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { VALUES_MAX } from "../rest/json-bounds.ts";

const CONTINUATION_BIT = 0x80;
const FIXED_BYTES: Readonly<Partial<Record<ScalarType, number>>> = {
  [ScalarType.DOUBLE]: 8,
  [ScalarType.FIXED64]: 8,
  [ScalarType.SFIXED64]: 8,
  [ScalarType.FLOAT]: 4,
  [ScalarType.FIXED32]: 4,
  [ScalarType.SFIXED32]: 4,
};
const VARINT_BYTES_MAX = 10;

const fieldsByNumber = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(desc: DescMessage): ReadonlyMap<number, DescField> {
  let fields = fieldsByNumber.get(desc);
  if (fields === undefined) {
    fields = new Map(desc.fields.map((field) => [field.number, field]));
    fieldsByNumber.set(desc, fields);
  }
  return fields;
}

/**
 * Which limit a message exceeds, phrased as a predicate to put after the message's name: `has more than 1000 values`. Undefined if it
 * exceeds none. Every field counts, including unknown ones, and so does every element of a packed list. Counting stops at bytes that are
 * not protobuf: the parser reports those.
 */
export function protoExcess(desc: DescMessage, bytes: Uint8Array): string | undefined {
  // Each value has at least one byte.
  const isOver = bytes.length > VALUES_MAX && new ValueCounter(bytes).count(desc, 0, bytes.length) > VALUES_MAX;
  return isOver ? `has more than ${VALUES_MAX} values` : undefined;
}

class ValueCounter {
  readonly #bytes: Uint8Array;
  #at = 0;
  #values = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  // Adds the values between two positions, as a message of this type; stops once over the limit.
  count(desc: DescMessage | undefined, from: number, to: number): number {
    this.#at = from;
    while (this.#at < to && this.#values <= VALUES_MAX) {
      const tag = this.#varint();
      this.#values += 1;
      const end = this.#endOf(tag & 7);
      if (end === undefined || end > to) {
        break;
      }
      if ((tag & 7) === WireType.LengthDelimited) {
        this.#countWithin(desc && fieldsOf(desc).get(tag >>> 3), this.#at, end);
      }
      this.#at = end;
    }
    return this.#values;
  }

  #countWithin(field: DescField | undefined, from: number, to: number): void {
    if (field?.message !== undefined) {
      this.count(field.message, from, to);
    } else if (field?.fieldKind === "list" && field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES) {
      const bytes = field.scalar === undefined ? undefined : FIXED_BYTES[field.scalar];
      this.#values += bytes === undefined ? this.#varintsBetween(from, to) : Math.floor((to - from) / bytes);
    }
  }

  #varintsBetween(from: number, to: number): number {
    let varints = 0;
    for (let at = from; at < to && varints <= VALUES_MAX; at += 1) {
      varints += (this.#bytes[at] as number) < CONTINUATION_BIT ? 1 : 0;
    }
    return varints;
  }

  // The end of the value that begins here; undefined if unknown. For a value with a length, first moves to its first byte.
  #endOf(wireType: number): number | undefined {
    switch (wireType) {
      case WireType.Varint:
        this.#varint();
        return this.#at;
      case WireType.Bit64:
        return this.#at + 8;
      case WireType.LengthDelimited: {
        const length = this.#varint();
        return this.#at + length;
      }
      case WireType.Bit32:
        return this.#at + 4;
      // The contents of a group count like fields next to it.
      case WireType.StartGroup:
      case WireType.EndGroup:
        return this.#at;
      default:
        return undefined;
    }
  }

  // Reads a varint and returns its lowest 32 bits.
  #varint(): number {
    let value = 0;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      if (index < 5) {
        value |= (byte & 0x7f) << (7 * index);
      }
      if (byte < CONTINUATION_BIT) {
        break;
      }
    }
    return value >>> 0;
  }
}
