// Writes the envelope of a failure, in fixed order: data, meta, status, message, success, error.
import { create, toJson } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { CODE_NAMES } from "../../problem/code.ts";
import { type Problem, problemDetails } from "../../problem/problem.ts";
import { REASONS } from "../../problem/reason.ts";
import { type Meta, writeMeta } from "./success.ts";

/** The status and body of a failure. */
export interface WrittenProblem {
  readonly status: number;
  readonly body: string;
}

// The names of google.rpc.Code in upper case. It spells CANCELLED with two Ls, Connect with one.
const codeName = (code: Code): string => (code === Code.Canceled ? "CANCELLED" : CODE_NAMES[code].toUpperCase());

/** Writes a problem. Its details are google.rpc messages as JSON, with their types in `@type` and proto field names. */
export function writeProblem(problem: Problem, meta: Meta): WrittenProblem {
  const { code, httpStatus } = REASONS[problem.reason];
  const details = problemDetails(problem).map(({ desc, value }) => ({
    "@type": `type.googleapis.com/${desc.typeName}`,
    ...(toJson(desc, create(desc, value), { useProtoFieldName: true }) as object),
  }));
  const error = JSON.stringify({ reason: problem.reason, code: codeName(code), details });
  const body = `{"data":null,"meta":${writeMeta(meta)},"status":"error","message":${JSON.stringify(problem.message)},"success":false,"error":${error}}`;
  return { status: httpStatus, body };
}
