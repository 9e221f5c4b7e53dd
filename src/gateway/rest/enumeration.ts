// Parses enum values from text: a name in any case, with or without the enum's prefix (`votes` for ORDER_VOTES), or a number
// defined in the enum.
import type { DescEnum } from "@bufbuild/protobuf";
import { oneOfEnum } from "../../problem/field-requirement.ts";
import { INVALID, type TextReader } from "./scalar.ts";

/** The reader of an enum. Its `mustBe` lists the short names of the values, without the "unspecified" one. */
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
