// The tables of docs/errors.md: what each reason means, what a caller can do about it, and which calls are worth a retry.
import { CODE_NAMES } from "../../src/problem/code.ts";
import { REASONS, REASONS_BY_ORIGIN, type Reason } from "../../src/problem/reason.ts";
import { isPlanFault, type ReasonRule } from "../../src/problem/reason-rule.ts";
import { code, table } from "./markdown.ts";

const isOrigin = (name: string): name is keyof typeof REASONS_BY_ORIGIN => name in REASONS_BY_ORIGIN;

/** The reasons of one origin, with their statuses. */
export function reasonsTable(origin: string): string {
  if (!isOrigin(origin)) {
    throw new Error(`There is no origin ${origin} of reasons.`);
  }
  const rows = Object.keys(REASONS_BY_ORIGIN[origin]).map((name) => {
    const { code: rpcCode, httpStatus, charged, when, whatToDo } = REASONS[name as Reason];
    return [code(name), String(httpStatus), code(CODE_NAMES[rpcCode].toUpperCase()), charged ? "yes" : "no", when, whatToDo];
  });
  return table(["reason", "HTTP", "RPC code", "counted", "meaning", "what to do"], rows);
}

const namesWhere = (is: (rule: ReasonRule) => boolean): string =>
  Object.entries(REASONS)
    .filter(([, rule]) => is(rule))
    .map(([name]) => code(name))
    .join(", ");

// Whether it lasts until the month ends: the plan's quota, or the key's own.
const isQuota = ({ fault }: ReasonRule): boolean => fault === "quota" || fault === "key";

/** When a call that failed is worth a retry. */
export const retriesTable = (): string =>
  table(
    ["retry", "reasons"],
    [
      [
        "After the time that `Retry-After` says",
        namesWhere((rule) => rule.retry === true && !isPlanFault(rule.fault) && !isQuota(rule)),
      ],
      ["Next month: `Retry-After` says when it begins", namesWhere((rule) => rule.retry === true && isQuota(rule))],
      ["Once or twice, with growing pauses", namesWhere(({ retry, temporary }) => temporary === true && retry !== true)],
      ["Never: the same call fails the same way", "all others"],
    ],
  );
