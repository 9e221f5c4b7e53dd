import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, sized, TextBuilder } from "../src/response-body.ts";

test("a string that is joined from pieces has the length of its bytes in UTF-8", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
      const all = new TextBuilder();
      all.addAscii("[");
      for (const text of texts) {
        all.add(sized(text));
      }
      expect(all).toMatchObject({ text: `[${texts.join("")}`, bytes: Buffer.byteLength(`[${texts.join("")}`) });
    }),
  );
});

test.each([
  ["bytes", new Uint8Array([0xc3, 0xa9])],
  ["text", "é"],
  ["text with its length", { text: "é", bytes: 2 }],
])("a body of %s is sent in UTF-8", (_, body) => {
  expect([...bytesOf(body)]).toEqual([0xc3, 0xa9]);
});
