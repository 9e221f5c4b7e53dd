// An admission whose settlement a test can observe. The rest is the guard's own object, because a copy would lack parts of it.
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
