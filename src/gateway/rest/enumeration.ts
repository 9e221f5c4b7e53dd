// Reads enum values from text: by name in any case, with or without the enum's own prefix (`votes` for ORDER_VOTES), or by a number
// that the enum has.
import type { DescEnum } from "@bufbuild/protobuf";
import { oneOfEnum } from "../../problem/field-requirement.ts";
import { INVALID, type TextReader } from "./scalar.ts";

/** The reader of an enum. Its `mustBe` lists the values by their short names, without the one for "unspecified". */
export function enumTextReader(desc: DescEnum): TextReader {
  const numbers = new Map<string, number>();
  const prefixLength = desc.sharedPrefix?.length ?? 0;
  const shortNameOf = (name: string): string => name.slice(prefixLength).toLowerCase();
  for (const value of desc.values) {
    const short = shortNameOf(value.name);
    numbers.set(String(value.number), value.number);
    numbers.set(value.name.toLowerCase(), value.number);
    numbers.set(short, value.number);
  }
  return {
    mustBe: oneOfEnum(desc, shortNameOf),
    read: (text) => numbers.get(text.toLowerCase()) ?? INVALID,
  };
}
