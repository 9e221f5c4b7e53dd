import { describe, expect, test } from "vitest";
import { type ConfigError, Environment } from "../../src/config/environment.ts";
import { readHttpLimits } from "../../src/config/http-limits.ts";

describe("the transport's limits", () => {
  test("have defaults", () => {
    const environment = new Environment({});
    expect(readHttpLimits(environment)).toEqual({
      bodyBytesMax: 65_536,
      bodiesBytesMax: 67_108_864,
      decompressedBytesMax: 65_536,
      urlBytesMax: 8192,
      headerBytesMax: 16_384,
      headersMax: 100,
      firstByteTimeoutMs: 10_000,
      headerTimeoutMs: 10_000,
      bodyTimeoutMs: 20_000,
      idleTimeoutMs: 75_000,
      stallTimeoutMs: 120_000,
      connectionsMax: 10_000,
      connectionsPerAddressMax: 500,
      unsentBytesPerConnectionMax: 16_777_216,
      unsentBytesMax: 67_108_864,
      heldInputBytesMax: 67_108_864,
      concurrentRequestsMax: 100,
      requestsPerConnectionMax: 100_000,
      streamResetBurst: 1000,
      streamResetsPerSecond: 33,
    });
    environment.finish();
  });

  test("are each read from their own variable", () => {
    const environment = new Environment({
      QUINTET_BODY_BYTES_MAX: "2001",
      QUINTET_BODIES_BYTES_MAX: "2000016",
      QUINTET_DECOMPRESSED_BYTES_MAX: "2002",
      QUINTET_URL_BYTES_MAX: "2003",
      QUINTET_HEADER_BYTES_MAX: "2004",
      QUINTET_HEADERS_MAX: "25",
      QUINTET_FIRST_BYTE_TIMEOUT_MS: "2006",
      QUINTET_HEADER_TIMEOUT_MS: "2007",
      QUINTET_BODY_TIMEOUT_MS: "2008",
      QUINTET_IDLE_TIMEOUT_MS: "2009",
      QUINTET_STALL_TIMEOUT_MS: "2010",
      QUINTET_CONNECTIONS_MAX: "2011",
      QUINTET_CONNECTIONS_PER_ADDRESS_MAX: "2016",
      QUINTET_UNSENT_BYTES_PER_CONNECTION_MAX: "2000017",
      QUINTET_UNSENT_BYTES_MAX: "20000018",
      QUINTET_HELD_INPUT_BYTES_MAX: "20000019",
      QUINTET_REQUESTS_UNDER_WAY_MAX: "2012",
      QUINTET_REQUESTS_PER_CONNECTION_MAX: "2013",
      QUINTET_STREAM_RESET_BURST: "2014",
      QUINTET_STREAM_RESETS_PER_SECOND: "2015",
    });
    expect(readHttpLimits(environment)).toEqual({
      bodyBytesMax: 2001,
      bodiesBytesMax: 2_000_016,
      decompressedBytesMax: 2002,
      urlBytesMax: 2003,
      headerBytesMax: 2004,
      headersMax: 25,
      firstByteTimeoutMs: 2006,
      headerTimeoutMs: 2007,
      bodyTimeoutMs: 2008,
      idleTimeoutMs: 2009,
      stallTimeoutMs: 2010,
      connectionsMax: 2011,
      connectionsPerAddressMax: 2016,
      unsentBytesPerConnectionMax: 2_000_017,
      unsentBytesMax: 20_000_018,
      heldInputBytesMax: 20_000_019,
      concurrentRequestsMax: 2012,
      requestsPerConnectionMax: 2013,
      streamResetBurst: 2014,
      streamResetsPerSecond: 2015,
    });
    environment.finish();
  });

  test("must be within their bounds", () => {
    const environment = new Environment({ QUINTET_BODY_BYTES_MAX: "1", QUINTET_IDLE_TIMEOUT_MS: "0", QUINTET_HEADERS_MAX: "many" });
    readHttpLimits(environment);
    let faults: readonly string[] = [];
    try {
      environment.finish();
    } catch (thrown) {
      faults = (thrown as ConfigError).faults;
    }
    expect(faults).toEqual([
      'QUINTET_BODY_BYTES_MAX must be a whole number from 1024 to 67108864, not "1"',
      'QUINTET_HEADERS_MAX must be a whole number from 16 to 1000, not "many"',
      'QUINTET_IDLE_TIMEOUT_MS must be a whole number from 1 to 3600000, not "0"',
    ]);
  });
});
