import { describe, expect, test } from "vitest";
import { discoverMirrors } from "../../../src/services/radio/discovery.ts";
import { tableResolver } from "./table-resolver.ts";

const srvName = "_api._tcp.directory.example";
const configured = ["https://one.example", "https://two.example"];
const addresses = {
  "one.example": ["192.0.2.1"],
  "two.example": ["192.0.2.2"],
  "de1.api.directory.example": ["192.0.2.3", "2001:db8::3"],
  "de2.api.directory.example": ["2001:db8::3"],
  "fi1.api.directory.example": ["192.0.2.4"],
};

describe("mirrors are", () => {
  test.each<[string, Parameters<typeof tableResolver>[0], string | undefined, readonly string[], (readonly string[])?]>([
    [
      "found by DNS, over https",
      { addresses, services: { [srvName]: ["de1.api.directory.example", "fi1.api.directory.example"] } },
      srvName,
      ["https://de1.api.directory.example", "https://fi1.api.directory.example"],
      configured,
    ],
    [
      "the same regardless of the case of a name and of a trailing dot",
      { addresses, services: { [srvName]: ["DE1.api.directory.example.", "de1.api.directory.example"] } },
      srvName,
      ["https://de1.api.directory.example"],
      configured,
    ],
    [
      "one if two names lead to the same machine",
      { addresses, services: { [srvName]: ["de1.api.directory.example", "de2.api.directory.example"] } },
      srvName,
      ["https://de1.api.directory.example"],
      configured,
    ],
    [
      "those whose names still resolve",
      { addresses, services: { [srvName]: ["nl1.api.directory.example", "fi1.api.directory.example"] } },
      srvName,
      ["https://fi1.api.directory.example"],
      configured,
    ],
    [
      "never hosts outside the directory's domain, or invalid host names",
      {
        addresses,
        services: { [srvName]: ["one.example", "evil-directory.example", "a/b.directory.example", "fi1.api.directory.example"] },
      },
      srvName,
      ["https://fi1.api.directory.example"],
      configured,
    ],
    ["the configured ones if DNS has none", { addresses, services: { [srvName]: [] } }, srvName, configured],
    ["the configured ones if DNS does not respond", { addresses, services: {} }, srvName, configured],
    [
      "the configured ones if none of the names found resolves",
      { addresses, services: { [srvName]: ["nl1.api.directory.example"] } },
      srvName,
      configured,
    ],
    ["the configured ones if discovery is off", { addresses, services: {} }, undefined, configured],
    [
      "the configured ones that resolve",
      { addresses: { "two.example": ["192.0.2.2"] }, services: {} },
      undefined,
      ["https://two.example"],
    ],
    ["all configured ones if nothing resolves", { addresses: {}, services: {} }, undefined, configured],
    [
      "followed only by those configured ones that are other machines",
      {
        addresses: { ...addresses, "one.example": ["192.0.2.4"] },
        services: { [srvName]: ["fi1.api.directory.example"] },
      },
      srvName,
      ["https://fi1.api.directory.example"],
      ["https://two.example"],
    ],
  ])("%s", async (_, tables, name, found, reserves = []) => {
    const mirrors = await discoverMirrors({ srvName: name, mirrors: configured, resolver: tableResolver(tables) });
    expect(mirrors).toEqual({ found, reserves });
  });

  test("distinguished by port if they are on one machine, and IP addresses are not looked up", async () => {
    const mirrors = ["http://127.0.0.1:8001", "http://127.0.0.1:8002", "http://localhost:8001", "http://[2001:db8::9]:8001"];
    const resolver = tableResolver({ addresses: { localhost: ["::1", "127.0.0.1"] }, services: {} });
    expect(await discoverMirrors({ srvName: undefined, mirrors, resolver })).toEqual({
      found: ["http://127.0.0.1:8001", "http://127.0.0.1:8002", "http://[2001:db8::9]:8001"],
      reserves: [],
    });
  });

  test("at most sixteen", async () => {
    const hosts = Array.from({ length: 40 }, (_, index) => `m${index}.directory.example`);
    const resolver = tableResolver({
      addresses: Object.fromEntries(hosts.map((host, index) => [host, [`192.0.2.${index}`]])),
      services: { [srvName]: hosts },
    });
    expect((await discoverMirrors({ srvName, mirrors: configured, resolver })).found).toHaveLength(16);
  });
});
