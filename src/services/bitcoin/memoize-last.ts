// Remembers the last result of a computation, so that the results of a day's data are computed once for all callers.

/** Wraps a function so that it computes again only if an argument is a different object from the last time. */
export function memoizeLast<Inputs extends readonly object[], Result>(
  compute: (...inputs: Inputs) => Result,
): (...inputs: Inputs) => Result {
  let last: { readonly inputs: Inputs; readonly result: Result } | undefined;
  return (...inputs) => {
    if (last === undefined || last.inputs.some((input, index) => input !== inputs[index])) {
      last = { inputs, result: compute(...inputs) };
    }
    return last.result;
  };
}
