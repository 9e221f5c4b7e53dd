// What an MCP client learns about a problem besides its message: the same facts as in REST's envelope, and when to retry as a plain number.
import { create, toJson } from "@bufbuild/protobuf";
import { CODE_NAMES } from "../../problem/code.ts";
import { codeOf, type Problem, problemDetails } from "../../problem/problem.ts";

export interface ErrorFacts {
  readonly reason: string;
  readonly code: string;
  /** Whole seconds, as in the `retry-after` header; left out if the problem says nothing about it. */
  readonly retry_after_seconds?: number;
  /** google.rpc messages as JSON, with their types in `@type`. */
  readonly details: readonly object[];
}

export const errorFacts = (problem: Problem): ErrorFacts => ({
  reason: problem.reason,
  code: CODE_NAMES[codeOf(problem)],
  ...(problem.retryAfterMs !== undefined && { retry_after_seconds: Math.max(1, Math.ceil(problem.retryAfterMs / 1000)) }),
  details: problemDetails(problem).map(({ desc, value }) => ({
    "@type": `type.googleapis.com/${desc.typeName}`,
    ...(toJson(desc, create(desc, value), { useProtoFieldName: true }) as object),
  })),
});
