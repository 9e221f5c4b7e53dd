// Remembers the last result of a computation, so that what a day's data say is computed once for all who ask.

/** The same function, computing again only when an argument is another object than the last time. */
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
