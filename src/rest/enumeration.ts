// Reads enum values from text: by name in any case, with or without the enum's own prefix (`votes` for ORDER_VOTES), or by a number
// that the enum has.
import type { DescEnum } from "@bufbuild/protobuf";
import { INVALID, type TextReader } from "./scalar.ts";

// Beyond this many, an error message would be longer than it helps.
const NAMES_SHOWN_MAX = 40;

/** The reader of an enum. Its error names the values as callers may write them, without the one that stands for none. */
export function enumTextReader(desc: DescEnum): TextReader {
  const numbers = new Map<string, number>();
  const shown: string[] = [];
  const prefixLength = desc.sharedPrefix?.length ?? 0;
  for (const value of desc.values) {
    const short = value.name.slice(prefixLength).toLowerCase();
    numbers.set(String(value.number), value.number);
    numbers.set(value.name.toLowerCase(), value.number);
    numbers.set(short, value.number);
    if (short !== "unspecified") {
      shown.push(short);
    }
  }
  const listed = shown.length > NAMES_SHOWN_MAX ? [...shown.slice(0, NAMES_SHOWN_MAX), "…"] : shown;
  return {
    mustBe: `one of ${listed.join(", ")}`,
    read: (text) => numbers.get(text.toLowerCase()) ?? INVALID,
  };
}
