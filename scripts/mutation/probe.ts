// Loaded first in each test process: repeats every assertion with another value, and records the outcome.
import { afterEach, type ExpectStatic } from "vitest";

export interface Probed {
  /** Assertions that were made. */
  readonly created: readonly number[];
  /** Assertions that failed for a different value, as they should. */
  readonly canFail: readonly number[];
  /** Assertions that looked at an element of a list. */
  readonly callbacksCalled: readonly number[];
}

declare module "vitest" {
  interface TaskMeta {
    probed?: Probed;
  }
}

const created = new Set<number>();
const canFail = new Set<number>();
const callbacksCalled = new Set<number>();
/** A value unlike any that a test asserts about. */
const OTHER = Symbol("another subject");

type Matcher = (...values: unknown[]) => unknown;

function other(modifiers: readonly string[]): unknown {
  if (modifiers.includes("rejects")) {
    return Promise.reject(OTHER);
  }
  return modifiers.includes("resolves") ? Promise.resolve(OTHER) : OTHER;
}

/** Makes the assertion about a different value. Negated assertions and comparisons with a file hold for any value. */
async function probe(
  id: number,
  expect: ExpectStatic,
  modifiers: readonly string[],
  matcher: string,
  values: readonly unknown[],
  subject: unknown,
) {
  const isBound = /^toBe(Less|Greater)Than/.test(matcher);
  if (modifiers.includes("not") || /Snapshot/.test(matcher)) {
    canFail.add(id);
    return;
  }
  if (isBound) {
    // A value that is always empty is below every bound.
    if (Number(subject) !== 0) {
      canFail.add(id);
    }
    return;
  }
  try {
    const assertion = modifiers.reduce((object, name) => (object as never)[name], expect(other(modifiers)) as unknown);
    await ((assertion as Record<string, Matcher>)[matcher] as Matcher)(...values);
  } catch {
    canFail.add(id);
  }
}

function watched(assertion: object, modifiers: readonly string[], id: number, expect: ExpectStatic, subject: unknown): unknown {
  return new Proxy(assertion, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (name === "not" || name === "resolves" || name === "rejects") {
        return watched(value as object, [...modifiers, name], id, expect, subject);
      }
      if (typeof value !== "function" || typeof name !== "string") {
        return value;
      }
      return (...values: unknown[]) => {
        created.add(id);
        const outcome = (value as Matcher).apply(target, values);
        void probe(id, expect, modifiers, name, values, subject);
        return outcome;
      };
    },
  });
}

Object.assign(globalThis, {
  /** Takes the place of `expect`. */
  probed:
    (id: number, expect: ExpectStatic) =>
    (subject: unknown, message?: string): unknown =>
      watched(expect(subject, message), [], id, expect, subject),
  recordingCalls:
    (id: number, callback: Matcher): Matcher =>
    (...values) => {
      callbacksCalled.add(id);
      return callback(...values);
    },
});

afterEach(({ task }) => {
  task.file.meta.probed = { created: [...created], canFail: [...canFail], callbacksCalled: [...callbacksCalled] };
});
