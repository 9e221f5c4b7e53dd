// The ways in which a handler can be told to respond, by name. The first is the normal one.
import { Code } from "@connectrpc/connect";
import type { Want } from "./handlers.ts";
import type { RawHeaders } from "./raw-client.ts";

const error = (code: Code, message: string, rich = false): Want => ({ end: { kind: "error", code, message, rich } });
const codes = Object.values(Code).filter((code) => typeof code === "number");
type ErrorName = `error${keyof typeof Code}`;

const someHeaders: RawHeaders = [
  ["x-answer", "1"],
  ["x-answer", "2"],
  ["x-bytes-bin", "AAEC/w"],
  ["x-latin", "caf\u00e9"],
];

/** How the handler responds. */
export const wants = {
  ok: { end: { kind: "ok" } },
  long: { end: { kind: "ok", textBytes: 5000 } },
  headers: { headers: someHeaders, end: { kind: "ok" } },
  trailers: { trailers: someHeaders, end: { kind: "ok" } },
  both: { headers: someHeaders, trailers: [["x-checksum", "sha: 1"]], end: { kind: "ok", textBytes: 2000 } },
  cookies: {
    headers: [
      ["set-cookie", "a=b; Path=/"],
      ["set-cookie", "c=d, e"],
    ],
    end: { kind: "ok" },
  },
  reservedHeaders: {
    headers: [
      ["x-request-id", "mine"],
      ["ratelimit", "mine"],
      ["accept-encoding", "br"],
      ["connect-whatever", "1"],
    ],
    end: { kind: "ok" },
  },
  reservedTrailers: {
    trailers: [
      ["grpc-message", "mine"],
      ["content-type", "text/html"],
      ["x-request-id", "mine"],
    ],
    end: { kind: "ok" },
  },
  refusedHeader: { headers: [["x-odd", "\u0001"]], end: { kind: "ok" } },
  refusedTrailer: { trailers: [["x-odd", "\u0001"]], end: { kind: "ok" } },
  errorWithRefusedHeader: { ...error(Code.NotFound, "not here"), headers: [["x-odd", "\u0001"]] },
  halfALetter: error(Code.NotFound, "half a letter: \ud800"),
  impossibleHeader: { headers: [["x odd", "1"]], end: { kind: "ok" } },
  unwritable: { end: { kind: "unwritable" } },
  ...(Object.fromEntries(codes.map((code) => [`error${Code[code]}`, error(code, `code ${code}`)])) as Record<ErrorName, Want>),
  richError: error(Code.FailedPrecondition, "naïve % ☃ \r\n \u{1f600} ~\u007f", true),
  longError: error(Code.OutOfRange, "far ".repeat(500)),
  emptyError: error(Code.Aborted, ""),
  errorWithMetadata: { ...error(Code.DataLoss, "lost", true), headers: someHeaders, trailers: [["x-checksum", "1"]] },
  errorWithHeaders: { ...error(Code.Unavailable, "gone"), headers: someHeaders },
  errorWithTrailers: { ...error(Code.Unauthenticated, "who"), trailers: someHeaders },
  invalid: {
    end: {
      kind: "problem",
      problem: {
        reason: "INVALID_ARGUMENT",
        message: "a b; c d",
        violations: [
          { field: "a", description: "b" },
          { field: "c", description: "d" },
        ],
      },
    },
  },
  notFound: { end: { kind: "problem", problem: { reason: "NOT_FOUND", message: "no", metadata: { station: "x" } } } },
  upstream: { end: { kind: "problem", problem: { reason: "UPSTREAM_FAILED", message: "no response", retryAfterMs: 1500 } } },
  quota: {
    headers: [["x-answer", "1"]],
    end: {
      kind: "problem",
      problem: { reason: "QUOTA_EXCEEDED", message: "used up", quotaSubject: "subscription:radio", retryAfterMs: 60_000 },
    },
  },
  planLimit: { end: { kind: "problem", problem: { reason: "PLAN_LIMIT", message: "more than the plan includes" } } },
  methodUnknown: { end: { kind: "problem", problem: { reason: "METHOD_UNKNOWN", message: "none" } } },
  defect: { end: { kind: "defect", thrown: "error" } },
  defectWithMetadata: { headers: someHeaders, trailers: [["x-checksum", "1"]], end: { kind: "defect", thrown: "error" } },
  thrownText: { end: { kind: "defect", thrown: "text" } },
  thrownNothing: { end: { kind: "defect", thrown: "nothing" } },
  hang: { end: { kind: "hang", afterwards: "reject" } },
  hangAndRespond: { end: { kind: "hang", afterwards: "respond" } },
  hangWithMetadata: { headers: someHeaders, trailers: [["x-checksum", "1"]], end: { kind: "hang", afterwards: "reject" } },
} satisfies Record<string, Want>;
