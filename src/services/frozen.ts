// Freezes messages that a service remembers. What is remembered is given again as it is, so nobody may change it; and what cannot change is written as
// JSON only once, by gateway/rest/rest-text.ts.

/** Freezes a message with all that it holds, which must not be bytes, and returns it. */
export function frozen<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) {
      frozen(inner);
    }
  }
  return Object.freeze(value);
}
