// Reads h2spec's report by lines: it is JUnit XML, but the texts of failures are not escaped, so it cannot be parsed as XML.

/** The result of one case. */
export interface Case {
  /** The argument with which h2spec runs only this case, such as `http2/5.1/5`. */
  readonly id: string;
  readonly title: string;
  readonly outcome: "passed" | "skipped" | "failed";
  /** What was expected and what happened, if it failed. */
  readonly text: string;
}

/** Reads a report: every case, in the order in which they ran. */
export function readCases(report: string): readonly Case[] {
  const countOf = new Map<string, number>();
  return report
    .split(/^ *(?=<testcase )/m)
    .slice(1)
    .map((block) => {
      const [, section = "", title = ""] = /^<testcase package="([^"]*)" classname="([^"]*)"/.exec(block) ?? [];
      const number = (countOf.get(section) ?? 0) + 1;
      countOf.set(section, number);
      const [, failure] = /<(?:failure|error)>([\s\S]*?)<\/(?:failure|error)>/.exec(block) ?? [];
      const outcome = failure !== undefined ? "failed" : block.includes("<skipped>") ? "skipped" : "passed";
      return { id: `${section}/${number}`, title, outcome, text: failure ?? "" };
    });
}

/** The counts of a report, in words. */
export function summaryOf(cases: readonly Case[]): string {
  const count = (outcome: Case["outcome"]): number => cases.filter((one) => one.outcome === outcome).length;
  return `${cases.length} cases: ${count("passed")} passed, ${count("skipped")} skipped, ${count("failed")} failed`;
}
