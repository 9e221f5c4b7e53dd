// Lists at the end of a run which tests were skipped. Their names say what they need.
import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { ROOT } from "./fixtures/root.ts";

/** A reporter for Vitest. */
export default class SkippedTests implements Reporter {
  #isWholeRun = true;

  onInit({ config }: Vitest): void {
    this.#isWholeRun = config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of this.#isWholeRun ? modules : []) {
      for (const { fullName } of module.children.allTests("skipped")) {
        const line = `${relative(ROOT, module.moduleId)}: ${fullName.split(" > ")[0]}`;
        counts.set(line, (counts.get(line) ?? 0) + 1);
      }
    }
    for (const [line, count] of counts) {
      process.stdout.write(`skipped ${count} of ${line}\n`);
    }
  }
}
