// A long answer where there is little room.
const ITEMS_MAX = 2;

/** The value with at most two items of each list. */
export function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.slice(0, ITEMS_MAX).map(shortened);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
  }
  return value;
}
