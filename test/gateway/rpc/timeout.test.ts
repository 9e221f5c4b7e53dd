// The caller's deadline in the header of each protocol.
import { describe, expect, test } from "vitest";
import { capTimeouts, parseConnectTimeoutMs, parseGrpcTimeoutMs, parseServerTimeoutMs } from "../../../src/gateway/rpc/timeout.ts";
import type { Failure } from "../../../src/problem/failure.ts";

// The deadline in milliseconds, or the problem's message.
function outcome(parse: (header: string) => number, header: string): number | string {
  try {
    return parse(header);
  } catch (thrown) {
    const { problem } = thrown as Failure;
    expect(problem.reason).toBe("MALFORMED_REQUEST");
    return problem.message;
  }
}

const GRPC = "The grpc-timeout header must be 1 to 8 digits and a unit, one of H, M, S, m, u and n.";
const CONNECT = "The connect-timeout-ms header must be 1 to 10 digits.";
const SERVER = "The x-server-timeout header must be a number of seconds, with at most three decimals.";

describe("grpc-timeout", () => {
  test.each([
    ["1H", 3_600_000],
    ["2M", 120_000],
    ["3S", 3000],
    ["4m", 4],
    ["5000u", 5],
    ["6000000n", 6],
    ["0S", 0],
    ["00000001S", 1000],
    ["99999999H", 359_999_996_400_000],
    ["100000000S", GRPC],
    ["S", GRPC],
    ["1", GRPC],
    ["1s", GRPC],
    ["1h", GRPC],
    ["", GRPC],
    ["-1S", GRPC],
    ["+1S", GRPC],
    ["1.5S", GRPC],
    ["1 S", GRPC],
    [" 1S", GRPC],
    ["1S, 1S", GRPC],
    ["0x10S", GRPC],
    ["1e3S", GRPC],
    ["\u0661S", GRPC],
  ])("%j", (header, expected) => {
    expect(outcome(parseGrpcTimeoutMs, header)).toBe(expected);
  });
});

describe("connect-timeout-ms", () => {
  test.each([
    ["0", 0],
    ["1", 1],
    ["0000000001", 1],
    ["9999999999", 9_999_999_999],
    ["10000000000", CONNECT],
    ["", CONNECT],
    ["-1", CONNECT],
    ["1.5", CONNECT],
    ["1e3", CONNECT],
    ["1ms", CONNECT],
    [" 1", CONNECT],
    ["1, 1", CONNECT],
  ])("%j", (header, expected) => {
    expect(outcome(parseConnectTimeoutMs, header)).toBe(expected);
  });
});

describe("x-server-timeout", () => {
  test.each([
    ["0", 0],
    ["1", 1000],
    ["1.5", 1500],
    ["0.001", 1],
    ["9999999.999", 9_999_999_999],
    ["10000000", SERVER],
    ["1.0000", SERVER],
    ["1.", SERVER],
    [".5", SERVER],
    ["", SERVER],
    ["-1", SERVER],
    ["1e3", SERVER],
    ["1s", SERVER],
    ["1,5", SERVER],
  ])("%j", (header, expected) => {
    expect(outcome(parseServerTimeoutMs, header)).toBe(expected);
  });
});

describe("a deadline too long for a timer is lowered in its header, and any other header is unchanged:", () => {
  test.each([
    ["grpc-timeout", "2147483S", "2147483S"],
    ["grpc-timeout", "2147484S", "2147483S"],
    ["grpc-timeout", "35791M", "35791M"],
    ["grpc-timeout", "35792M", "2147483S"],
    ["grpc-timeout", "596H", "596H"],
    ["grpc-timeout", "597H", "2147483S"],
    ["grpc-timeout", "99999999m", "99999999m"],
    ["grpc-timeout", "123456789S", "123456789S"],
    ["grpc-timeout", "soon", "soon"],
    ["connect-timeout-ms", "2147483647", "2147483647"],
    ["connect-timeout-ms", "2147483648", "2147483647"],
    ["connect-timeout-ms", "0000000005", "0000000005"],
    ["connect-timeout-ms", "12345678901", "12345678901"],
    ["connect-timeout-ms", "1e99999999", "1e99999999"],
    ["x-server-timeout", "9999999", "9999999"],
  ])("%s: %s", (name, value, expected) => {
    const headers = new Headers({ [name]: value });
    capTimeouts(headers);
    expect([...headers]).toEqual([[name, expected]]);
  });
});
