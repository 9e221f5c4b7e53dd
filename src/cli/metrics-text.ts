// Parses the metrics text of our own server.

export interface MetricValue {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All values, in the order of the text. */
export function readMetrics(text: string): readonly MetricValue[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      return [];
    }
    const pairs = Array.from(
      labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g),
      ([, label = "", written = ""]) => [label, written] as const,
    );
    return [{ name, labels: Object.fromEntries(pairs), value: value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value) }];
  });
}
