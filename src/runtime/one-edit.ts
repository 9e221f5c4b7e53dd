// Whether two words differ by one typing mistake: a letter too many, one missing, a wrong one, or two neighbours swapped.

/** Whether `typed` differs from `wanted` by exactly one typing mistake. */
export function isOneEditAway(typed: string, wanted: string): boolean {
  const longer = typed.length - wanted.length;
  if (longer < -1 || longer > 1 || typed === wanted) {
    return false;
  }
  let same = 0;
  while (typed.charCodeAt(same) === wanted.charCodeAt(same)) {
    same += 1;
  }
  if (longer !== 0) {
    return typed.slice(longer > 0 ? same + 1 : same) === wanted.slice(longer < 0 ? same + 1 : same);
  }
  const swapped = typed[same] === wanted[same + 1] && typed[same + 1] === wanted[same];
  return typed.slice(same + 1) === wanted.slice(same + 1) || (swapped && typed.slice(same + 2) === wanted.slice(same + 2));
}
