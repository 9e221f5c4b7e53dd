// Loads the code that draws plots: most pages have no plot, and a page with a plot shows everything else first.

type ChartModule = typeof import("./chart.ts");

let loading: Promise<ChartModule | undefined> | undefined;

/** Loads the code once. Undefined if it cannot be loaded, such as after an update of the server; then the next call tries again. */
export function loadChart(): Promise<ChartModule | undefined> {
  loading ??= import("./chart.ts").catch(() => {
    loading = undefined;
    return undefined;
  });
  return loading;
}
