// Whether two texts differ by one typing mistake: one letter too many, one too few, a wrong one, or two neighbours swapped.

import { isMark } from "./text-marks.ts";

/**
 * Whether `length` codes from `at` are `wanted` but for at most one typo; `length` differs from that of `wanted` by at most one.
 * Takes one pass over both.
 */
export function isWithinOneEdit(codes: Uint16Array, at: number, length: number, wanted: Uint16Array): boolean {
  const shorter = Math.min(length, wanted.length);
  let same = 0;
  while (same < shorter && codes[at + same] === wanted[same]) {
    same += 1;
  }
  if (length < wanted.length) {
    return restIsSame(codes, at + same, wanted, same + 1);
  }
  // The separator between two texts is not a letter.
  if (isMark(codes[at + same] as number)) {
    return false;
  }
  if (length > wanted.length) {
    return restIsSame(codes, at + same + 1, wanted, same);
  }
  if (restIsSame(codes, at + same + 1, wanted, same + 1)) {
    return true;
  }
  const swapped = codes[at + same] === wanted[same + 1] && codes[at + same + 1] === wanted[same];
  return swapped && restIsSame(codes, at + same + 2, wanted, same + 2);
}

function restIsSame(codes: Uint16Array, at: number, wanted: Uint16Array, from: number): boolean {
  for (let index = from; index < wanted.length; index += 1) {
    if (codes[at + index - from] !== wanted[index]) {
      return false;
    }
  }
  return true;
}
