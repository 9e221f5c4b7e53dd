// The details of a failure as bytes: those of our problems, and those of ConnectErrors, whose types may be unknown here.
import { create, toBinary } from "@bufbuild/protobuf";
import { AnySchema, DurationSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { base64OfBytes, errorDetails } from "../../../src/gateway/rpc/error-details.ts";
import { problemOf } from "../../../src/problem/failure.ts";

test("our own problem has its reason first, and then its other details", () => {
  const details = errorDetails({
    reason: "QUOTA_EXCEEDED",
    message: "used up",
    metadata: { month: "2026-11" },
    quotaSubject: "subscription:radio",
    retryAfterMs: 1500,
  });
  expect(details.map(({ type, debug }) => ({ type, debug }))).toEqual([
    {
      type: "google.rpc.ErrorInfo",
      debug: { reason: "QUOTA_EXCEEDED", domain: "quintet.example", metadata: { month: "2026-11" } },
    },
    { type: "google.rpc.QuotaFailure", debug: { violations: [{ subject: "subscription:radio", description: "used up" }] } },
    { type: "google.rpc.RetryInfo", debug: { retryDelay: "1.500s" } },
  ]);
  const info = create(ErrorInfoSchema, { reason: "QUOTA_EXCEEDED", domain: "quintet.example", metadata: { month: "2026-11" } });
  expect(details[0]?.bytes).toEqual(toBinary(ErrorInfoSchema, info));
});

test("a ConnectError keeps its details, with JSON if their type allows it", () => {
  const any = { typeUrl: "type.googleapis.com/example.Unknown", value: new Uint8Array([8, 1]) };
  const error = new ConnectError("no", Code.Aborted, undefined, [
    { desc: DurationSchema, value: { seconds: 2n } },
    { desc: AnySchema, value: any },
  ]);
  error.details.push({ type: "example.Unknown", value: new Uint8Array([8, 1]) });
  expect(errorDetails(problemOf(error))).toEqual([
    { type: "google.protobuf.Duration", bytes: new Uint8Array([8, 2]), debug: "2s" },
    { type: "google.protobuf.Any", bytes: toBinary(AnySchema, create(AnySchema, any)), debug: undefined },
    { type: "example.Unknown", bytes: new Uint8Array([8, 1]), debug: undefined },
  ]);
});

test.each([
  [[], ""],
  [[0], "AA"],
  [[0, 1], "AAE"],
  [[0, 1, 2], "AAEC"],
  [[255, 255, 255], "////"],
])("bytes %j are %j in base64, without padding", (bytes, expected) => {
  expect(base64OfBytes(new Uint8Array(bytes))).toBe(expected);
});
