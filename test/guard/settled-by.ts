// An admission whose settling a test sees. All else is the guard's own: a copy of it, or an object made after it, has not all that it has.
import type { Admitted } from "../../src/guard/guard.ts";

/** The same admission, settled by `settle`. */
export const settledBy = (admitted: Admitted, settle: Admitted["settle"]): Admitted => ({
  admitted: true,
  caller: admitted.caller,
  ...(admitted.limits && { limits: admitted.limits }),
  settle,
  renew: () => admitted.renew(),
  watch: (onRefused) => admitted.watch(onRefused),
});
