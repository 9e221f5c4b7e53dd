// Reads the runner's report. The runner compares the whole list of an error's details, and does not expect the google.rpc.ErrorInfo that
// each of our errors has. A case that fails only because of that counts as passed, and the number of such cases is reported.

/** The verdict. */
export interface Verdict {
  /** The text to print: the failures and the numbers. */
  readonly text: string;
  readonly passed: boolean;
  /** The failed cases, if all of them are about time. They may fail on a busy machine, so they are run once more. */
  readonly overdue: readonly string[];
}

const ABOUT_TIME = /^(?:Timeouts|Deadline Propagation)\//;

// The second is about the readable copy of a detail in Connect's JSON, which the runner cannot check without knowing its type.
const ONLY_ERROR_INFO = [
  /^;? ?actual error contain 1 details; expecting 0$/,
  /^connect error JSON: details\[0\]: could not check debug data because message type "google\.rpc\.ErrorInfo" could not be resolved/,
];

interface Failed {
  readonly name: string;
  readonly lines: readonly string[];
}

function failuresOf(output: string): Failed[] {
  return output
    .split(/^(?=FAILED: )/m)
    .filter((block) => block.startsWith("FAILED: "))
    .map((block) => {
      const [head = "", ...rest] = block.split("\n");
      const end = rest.findIndex((line) => !line.startsWith("\t"));
      return {
        name: head.replace(/^FAILED: /, "").replace(/:$/, ""),
        lines: (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim()).filter((line) => line !== ""),
      };
    });
}

const isOnlyErrorInfo = ({ lines }: Failed): boolean =>
  lines.length > 0 && lines.every((line) => ONLY_ERROR_INFO.some((pattern) => pattern.test(line)));

/** Reads the runner's output. `status` is its exit code. */
export function readReport(output: string, status: number | null): Verdict {
  const numbers = /^Total cases: (\d+)\n(\d+) passed, (\d+) failed/m.exec(output);
  const failures = failuresOf(output);
  const real = failures.filter((failure) => !isOnlyErrorInfo(failure));
  const errorInfo = failures.length - real.length;
  // If the runner failed without a failed case, or could not run some cases, its whole output is printed.
  const complete = numbers !== null && Number(numbers[3]) === failures.length && !output.includes("could not be run");
  if (!complete || (status !== 0 && failures.length === 0)) {
    return { text: output, passed: false, overdue: [] };
  }
  const list = real.map(({ name, lines }) => `FAILED: ${name}\n${lines.map((line) => `    ${line}\n`).join("")}`).join("");
  const counts = `${numbers[1]} cases: ${Number(numbers[2]) + errorInfo} passed (${errorInfo} of them with our ErrorInfo beside what the runner expects), ${real.length} failed\n`;
  const overdue = real.every(({ name }) => ABOUT_TIME.test(name)) ? real.map(({ name }) => name) : [];
  return { text: list + counts, passed: real.length === 0, overdue };
}
