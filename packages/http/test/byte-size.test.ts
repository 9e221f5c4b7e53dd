// Sizes as strings for people.
import { expect, test } from "vitest";
import { byteSize } from "../src/byte-size.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [100, "100 bytes"],
  [1023, "1023 bytes"],
  [1024, "1 KiB"],
  [1500, "1500 bytes"],
  [65_536, "64 KiB"],
  [65_541, "65541 bytes"],
  [1_048_576, "1 MiB"],
  [1_572_864, "1536 KiB"],
])("%d is written as %s", (bytes, said) => {
  expect(byteSize(bytes)).toBe(said);
});
