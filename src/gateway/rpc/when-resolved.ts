// Continues at once with a value that is already available. Awaiting it like a promise would cost each call a turn of the event loop.

/**
 * Calls `next` with the value, at once or when it arrives; in the latter case returns a promise of the result. Throws and rejects
 * with what `next` throws.
 */
export function whenResolved<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
