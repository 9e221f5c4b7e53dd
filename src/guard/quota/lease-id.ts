// The id of one lease: a month, and one generation of its slot. A slot's generation changes with its subscription and with the plan. The id is
// in the same 64-bit word as the count, so a thread that has not heard yet of a new month, plan or subscription finds nothing to spend
// and nothing to refund to.

// Both wrap around. That is safe: no lease lives for 341 years, and no thread is 512 generations late.
const MONTHS = 4096;
const GENERATIONS = 512;

/** The id of the lease of a month, by its number, in a generation of its slot. From 0 to 2^21 - 1. */
export const leaseIdOf = (monthNumber: number, generation: number): number =>
  (monthNumber % MONTHS) * GENERATIONS + (generation % GENERATIONS);
