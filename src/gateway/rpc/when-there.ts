// Goes on at once with a value that is there already. To wait for it as for a promise would cost each call a turn of the event loop.

/** What `next` makes of the value: at once, or a promise of it where the value is still to come. Throws and rejects with what `next` throws. */
export function whenThere<Value, Result>(value: Value | Promise<Value>, next: (value: Value) => Result): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
