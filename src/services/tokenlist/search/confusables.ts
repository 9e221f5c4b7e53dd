// Letters of other scripts that look like Latin ones. From the table of Unicode's confusable characters, as far as they look like one ASCII
// letter or digit when folded: https://www.unicode.org/Public/security/15.1.0/confusables.txt, under https://www.unicode.org/license.txt.

import { isPlainAscii } from "../text.ts";

/** Latin letter → the letters that look like it, in lower case. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: "ɑαаᗅꓮꭺ",
  b: "ƅβвьᏼᑲᖯᗷꓐꞵꮟ",
  c: "ςсᴄⲥꓚꮯ",
  d: "ԁᑯᗞᗪꓒꓓꭰꮷ",
  e: "εеҽⴹꓰꬲꭼ",
  f: "ϝքᖴẝꓝꞙꬵ",
  g: "ƍɡԍցᏻᶃꓖꮐ",
  h: "ηнһհᕼⲏꓧꮋꮒ",
  i: "ıɩɪιіӏꙇꭵ",
  j: "ʝϳјᒍꓙꭻ",
  k: "κкᛕⲕꓗꮶ",
  l: "ǀᒪᛁⲓⳑⵏꓡꓲꮮ",
  m: "μϻмᗰᛖⲙꓟꮇ",
  n: "ոռⲛꓠ",
  o: "οσоօଠഠဝჿዐᴏᴑⲟⵔꓳꬽ",
  p: "ρрᑭⲣꓑꮲ",
  q: "ԛգզⵕ",
  r: "ʀгᖇᴦⲅꓣꭇꭈꭱꮁꮢ",
  s: "ƽѕտꓢꜱꮥꮪ",
  t: "τтⲧꓔꭲ",
  u: "ʋυսሀᑌᴜꓴꞟꭎꭒ",
  v: "νѵᐯᴠⴸꓦꛟꮩ",
  w: "ɯѡԝաᴡꓪꮃꮤ",
  x: "χхᕁᕽᚷⲭⵝꓫꭓ",
  y: "ɣʏγуүყᶌỿⲩꓬꭚꭹꮍ",
  z: "ζᴢꓜꮓ",
};

const LATIN_BY_LETTER: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);

/** A folded word in Latin letters, if all of its other letters look like Latin ones; otherwise the word itself. */
export function latinLookalike(word: string): string {
  if (isPlainAscii(word)) {
    return word;
  }
  const latin = Array.from(word, (letter) => (letter < "\x80" ? letter : (LATIN_BY_LETTER.get(letter) ?? ""))).join("");
  return latin.length === [...word].length ? latin : word;
}
