// A timeout for steps that should end soon: a run that hangs names the step.

/** Waits for `work`. Rejects after `ms` with what has not happened, which is computed only then. */
export async function within<Value>(ms: number, undone: () => string, work: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${undone()} after ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
