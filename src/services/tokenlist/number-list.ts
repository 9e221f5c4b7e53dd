// Many numbers in little memory: a list that grows, and numbered lists that share two arrays.
import type { Yielder } from "./cooperative-yield.ts";

/** A list of whole numbers from 0 to 2^32 - 1. */
export class NumberList {
  length = 0;
  #numbers = new Uint32Array(256);

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length] = number;
    this.length += 1;
  }

  at(index: number): number {
    return this.#numbers[index] as number;
  }

  set(index: number, number: number): void {
    this.#numbers[index] = number;
  }

  /** The numbers, in an array without spare room. */
  toArray(): Uint32Array {
    return this.#numbers.slice(0, this.length);
  }
}

/** Numbered lists of numbers: the list of `key` is in `values`, from `starts[key]` up to `starts[key + 1]`. */
export interface GroupedNumbers {
  readonly starts: Uint32Array;
  readonly values: Uint32Array;
}

// Takes well under a millisecond.
const NUMBERS_PER_STEP = 16_384;

/**
 * Groups values by their keys, which are below `keyCount`, and yields to the event loop as it goes. Values of the same key keep their
 * order.
 */
export async function groupNumbers(
  keyCount: number,
  keys: NumberList,
  values: NumberList,
  turns: Yielder,
): Promise<GroupedNumbers> {
  const starts = new Uint32Array(keyCount + 1);
  await inSteps(keys.length, turns, (at) => {
    const next = keys.at(at) + 1;
    starts[next] = (starts[next] as number) + 1;
  });
  await inSteps(keyCount, turns, (key) => {
    starts[key + 1] = (starts[key + 1] as number) + (starts[key] as number);
  });
  const ends = starts.slice(0, keyCount);
  const grouped = new Uint32Array(keys.length);
  await inSteps(keys.length, turns, (at) => {
    const key = keys.at(at);
    const end = ends[key] as number;
    grouped[end] = values.at(at);
    ends[key] = end + 1;
  });
  return { starts, values: grouped };
}

/**
 * Calls `each` for the numbers from 0 up to `count`, and yields to the event loop as it goes. For work that takes nanoseconds per
 * number.
 */
export async function inSteps(count: number, turns: Yielder, each: (at: number) => void): Promise<void> {
  for (let from = 0; from < count; from += NUMBERS_PER_STEP) {
    const to = Math.min(count, from + NUMBERS_PER_STEP);
    for (let at = from; at < to; at += 1) {
      each(at);
    }
    if (turns.due()) {
      await turns.next();
    }
  }
}
