// A page for each reason that an error can have: what it means, what to do, and how it looks in each protocol.
import { CODE_NAMES } from "../../src/problem/code.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import { openApi } from "./openapi.ts";

/** What a page about a reason shows. */
export interface ReasonPage {
  /** Its path: `/errors/RATE_LIMITED`. Every error with this reason links to it. */
  readonly path: string;
  readonly reason: Reason;
  readonly httpStatus: number;
  /** The canonical RPC code, upper case. */
  readonly code: string;
  readonly isCounted: boolean;
  /** Whether the response says when to retry. */
  readonly hasRetryDelay: boolean;
  /** Markdown. */
  readonly meaning: string;
  /** Markdown. */
  readonly whatToDo: string;
  /** A whole REST response; undefined for a reason that no documented REST operation can end with. */
  readonly example: unknown;
}

const examples = new Map<string, unknown>(
  Object.values(openApi.components.responses).flatMap(({ content }) =>
    Object.entries(content?.["application/json"]?.examples ?? {}).map(([reason, { value }]) => [reason, value] as const),
  ),
);

/** The pages of all reasons, in the order of the table of reasons. */
export const REASON_PAGES: readonly ReasonPage[] = (Object.keys(REASONS) as Reason[]).map((reason) => {
  const { code, httpStatus, charged, retry, when, whatToDo } = REASONS[reason];
  return {
    path: `/errors/${reason}`,
    reason,
    httpStatus,
    code: CODE_NAMES[code].toUpperCase(),
    isCounted: charged === true,
    hasRetryDelay: retry === true,
    meaning: when,
    whatToDo,
    example: examples.get(reason),
  };
});
