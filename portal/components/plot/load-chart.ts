// Loads what draws plots: most pages show none, and a page that does shows all else first.

type ChartModule = typeof import("./chart.ts");

let loading: Promise<ChartModule | undefined> | undefined;

/** Loads it, once. Undefined if it cannot be had, as after an update of the server; then the next call tries again. */
export function loadChart(): Promise<ChartModule | undefined> {
  loading ??= import("./chart.ts").catch(() => {
    loading = undefined;
    return undefined;
  });
  return loading;
}
