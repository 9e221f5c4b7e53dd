// Binary search.

/** How many of the first `length` numbers satisfy `isBefore`, which must be true up to some number and false from there on. */
export function partitionPoint(length: number, isBefore: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
