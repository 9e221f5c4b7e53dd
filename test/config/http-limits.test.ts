import { describe, expect, test } from "vitest";
import { Environment } from "../../src/config/environment.ts";
import { DEFAULT_HTTP_LIMITS, readHttpLimits } from "../../src/config/http-limits.ts";

describe("the transport's limits", () => {
  test("depend on what is in front of the server where they can be set", () => {
    const environment = new Environment({ QUINTET_CONNECTIONS_PER_ADDRESS_MAX: "0" });
    expect(readHttpLimits(environment)).toEqual({ ...DEFAULT_HTTP_LIMITS, connectionsPerAddressMax: 0 });
    environment.finish();
  });

  test("must be within their bounds", () => {
    const environment = new Environment({ QUINTET_CONNECTIONS_PER_ADDRESS_MAX: "many" });
    readHttpLimits(environment);
    expect(() => environment.finish()).toThrow(
      `The environment has a fault:
  QUINTET_CONNECTIONS_PER_ADDRESS_MAX must be a whole number from 0 to 1000000, not "many"`,
    );
  });
});
