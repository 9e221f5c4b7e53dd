// What should be over in a while, and says so when it is not: a run that hangs names what it hangs on.

/** Waits for `work`. Rejects after `ms` with what has not happened, which is asked for then. */
export async function within<Value>(ms: number, undone: () => string, work: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${undone()} after ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
