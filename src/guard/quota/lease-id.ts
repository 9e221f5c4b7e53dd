// The name of one lease: a month, under one holder of its slot and one plan of theirs. It stands in the same 64-bit word as a count, so a
// thread that has not heard yet of a new month, plan or holder finds nothing to spend, and nothing to give back to.

// Both wrap around: 341 years are no month apart, and no thread is late by 512 plans or holders.
const MONTHS = 4096;
const GENERATIONS = 512;

/** The term of a month, by its number, in a generation of its slot. From 0 to 2^21 - 1. */
export const leaseIdOf = (monthNumber: number, generation: number): number =>
  (monthNumber % MONTHS) * GENERATIONS + (generation % GENERATIONS);
