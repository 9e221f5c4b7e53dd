// Reads h2spec's report, which is JUnit's XML with the text of a failure put into it unescaped; so it is read by lines and not as XML.

/** What became of one case. */
export interface Case {
  /** As h2spec takes it to run this case alone, such as `http2/5.1/5`. */
  readonly id: string;
  readonly title: string;
  readonly outcome: "passed" | "skipped" | "failed";
  /** What was expected and what happened, where it failed. */
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
