// A failure in gRPC: the status, the message percent-encoded, and the details as google.rpc.Status.
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ErrorInfoSchema, HelpSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.js";
import { grpcAcceptEncoding, grpcStatusOf, withoutNeedlessEscapes } from "../../../src/gateway/rpc/grpc-status.ts";
import { problemOf } from "../../../src/problem/failure.ts";
import { invalidArgument, type Problem } from "../../../src/problem/problem.ts";

describe("the message", () => {
  test.each([
    ["plain words; they stay", "plain words; they stay"],
    ["100%", "100%25"],
    ["%41", "%2541"],
    ["tab\tline\r\n", "tab%09line%0D%0A"],
    ["naïve", "na%C3%AFve"],
    ["☃ and \u{1f600}", "%E2%98%83 and %F0%9F%98%80"],
    ["~ \u007f", "~ %7F"],
    ["half \ud800 a letter", "half %EF%BF%BD a letter"],
    [" blanks at the ends  ", "%20blanks at the ends%20%20"],
    ["  ", "%20%20"],
    ["", ""],
  ])("%j", (message, expected) => {
    const status = grpcStatusOf({ reason: "INTERNAL", message });
    expect({ sent: status["grpc-message"], read: decodeURIComponent(status["grpc-message"] ?? "") }).toEqual({
      sent: expected,
      read: message.toWellFormed(),
    });
    // connect-es encodes it to the same text.
    expect(withoutNeedlessEscapes(encodeURIComponent(message.toWellFormed()))).toBe(expected);
  });
});

// The details of a status as JSON.
function unpacked(trailers: Record<string, string>): unknown {
  const bin = trailers["grpc-status-details-bin"];
  if (bin === undefined) {
    return undefined;
  }
  expect(bin).toMatch(/^[A-Za-z0-9+/]+$/);
  const { code, message, details } = fromBinary(StatusSchema, Buffer.from(bin, "base64"));
  return {
    code,
    message,
    types: details.map(({ typeUrl }) => typeUrl),
    info: anyUnpack(details[0] as never, ErrorInfoSchema)?.reason,
  };
}

describe("the status", () => {
  const foreign = new ConnectError("how  ", Code.DataLoss, undefined, [
    { desc: ErrorInfoSchema, value: { reason: "THEIRS" } },
    { desc: HelpSchema, value: {} },
  ]);
  test.each<{ name: string; problem: Problem; status: string; details: unknown }>([
    {
      name: "of our own problem has the reason first",
      problem: invalidArgument([{ field: "limit", description: "must be 1" }]),
      status: "3",
      details: {
        code: 3,
        message: "limit must be 1",
        types: ["type.googleapis.com/google.rpc.ErrorInfo", "type.googleapis.com/google.rpc.BadRequest"],
        info: "INVALID_ARGUMENT",
      },
    },
    {
      name: "of a ConnectError is unchanged",
      problem: problemOf(foreign),
      status: "15",
      details: {
        code: 15,
        message: "how  ",
        types: ["type.googleapis.com/google.rpc.ErrorInfo", "type.googleapis.com/google.rpc.Help"],
        info: "THEIRS",
      },
    },
    {
      name: "of an error without details has none",
      problem: problemOf(new ConnectError("no", Code.Aborted)),
      status: "10",
      details: undefined,
    },
  ])("$name", ({ problem, status, details }) => {
    const trailers = grpcStatusOf(problem);
    expect({ status: trailers["grpc-status"], details: unpacked(trailers) }).toEqual({ status, details });
  });
});

test("the response to an unknown encoding lists those that are accepted", () => {
  expect(grpcAcceptEncoding({ reason: "ENCODING_UNKNOWN", message: "" })).toEqual({ "grpc-accept-encoding": "gzip,identity" });
  expect(grpcAcceptEncoding({ reason: "BODY_TOO_LARGE", message: "" })).toEqual({});
});
