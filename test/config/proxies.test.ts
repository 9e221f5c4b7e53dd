import { expect, test } from "vitest";
import { type ConfigError, Environment } from "../../src/config/environment.ts";
import { readProxyConfig } from "../../src/config/proxies.ts";

function read(variables: Record<string, string>): unknown {
  const environment = new Environment(variables);
  const config = readProxyConfig(environment);
  try {
    environment.finish();
    return config;
  } catch (thrown) {
    return (thrown as ConfigError).faults;
  }
}

const NOBODY = { networks: [], sendsProxyProtocol: false, forwardsClientCert: false };
const neither = (text: string): string[] => [
  `QUINTET_TRUSTED_PROXIES must contain addresses and networks such as 10.0.0.0/8 or fd00::1, separated by commas; "${text}" is neither`,
];

test.for<[variables: Record<string, string>, result: unknown]>([
  [{}, NOBODY],
  [{ QUINTET_TRUSTED_PROXIES: "" }, NOBODY],
  [
    { QUINTET_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1 ,fd00::/8,::1" },
    { ...NOBODY, networks: ["10.0.0.0/8", "192.0.2.1", "fd00::/8", "::1"] },
  ],
  [
    { QUINTET_TRUSTED_PROXIES: "::1", QUINTET_PROXY_PROTOCOL: "v2", QUINTET_FORWARDED_CLIENT_CERT: "on" },
    { networks: ["::1"], sendsProxyProtocol: true, forwardsClientCert: true },
  ],
  [{ QUINTET_TRUSTED_PROXIES: "10.0.0.0/33" }, neither("10.0.0.0/33")],
  [{ QUINTET_TRUSTED_PROXIES: "::/129" }, neither("::/129")],
  [{ QUINTET_TRUSTED_PROXIES: "10.0.0.1," }, neither("")],
  [{ QUINTET_TRUSTED_PROXIES: "10.0.0.0/" }, neither("10.0.0.0/")],
  [{ QUINTET_TRUSTED_PROXIES: "10.0.0.0/8/8" }, neither("10.0.0.0/8/8")],
  [{ QUINTET_TRUSTED_PROXIES: "proxy.example" }, neither("proxy.example")],
  [{ QUINTET_TRUSTED_PROXIES: "fe80::1%eth0" }, neither("fe80::1%eth0")],
  [
    { QUINTET_TRUSTED_PROXIES: "10.0.0.1,0.0.0.0/0" },
    [`QUINTET_TRUSTED_PROXIES must not trust every address, as "0.0.0.0/0" does; name the proxies' networks`],
  ],
  [
    { QUINTET_PROXY_PROTOCOL: "v2", QUINTET_FORWARDED_CLIENT_CERT: "on" },
    [
      "QUINTET_PROXY_PROTOCOL needs QUINTET_TRUSTED_PROXIES: the proxies that may say where a connection comes from",
      "QUINTET_FORWARDED_CLIENT_CERT needs QUINTET_TRUSTED_PROXIES: the proxies that may describe a caller's certificate",
    ],
  ],
  [
    { QUINTET_TRUSTED_PROXIES: "::1", QUINTET_PROXY_PROTOCOL: "v1" },
    ['QUINTET_PROXY_PROTOCOL must be one of off, v2, not "v1"; did you mean v2?'],
  ],
])("%j is read as %j", ([variables, result]) => {
  expect(read(variables)).toEqual(result);
});
