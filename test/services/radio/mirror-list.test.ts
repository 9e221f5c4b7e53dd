import { expect, test } from "vitest";
import { createLog } from "../../../src/runtime/log.ts";
import { keepMirrorList } from "../../../src/services/radio/mirror-list.ts";
import type { NameResolver } from "../../../src/services/radio/name-resolver.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { tableResolver } from "./table-resolver.ts";

const srvName = "_api._tcp.directory.example";
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function start(resolver: Partial<NameResolver> = {}) {
  const clock = createManualClock({ nowMs: 0 });
  const services: Record<string, string[]> = { [srvName]: ["a.directory.example"] };
  const addresses = {
    "a.directory.example": ["192.0.2.1"],
    "b.directory.example": ["192.0.2.2"],
    "configured.example": ["192.0.2.3"],
  };
  const found: (readonly string[])[] = [];
  const list = keepMirrorList({
    srvName,
    mirrors: ["https://configured.example"],
    resolver: { ...tableResolver({ addresses, services }), ...resolver },
    clock,
    log: createLog("silent"),
    onFound: (mirrors) => found.push([...mirrors.found, "then", ...mirrors.reserves]),
  });
  list.begin();
  return { clock, services, found, list };
}

test("the list is the configured one at first, and the one from DNS before it once DNS has responded", async () => {
  const { clock, found, list } = start();
  expect(found).toEqual([["https://configured.example", "then"]]);
  await list.firstLookup();
  expect(found.slice(1)).toEqual([["https://a.directory.example", "then", "https://configured.example"]]);
  expect(clock.pending).toBe(1);
  list.close();
});

test("the first calls wait two seconds for DNS, and then use the configured mirrors", async () => {
  const { clock, found, list } = start({ hostsOf: () => new Promise(() => {}) });
  let waits = true;
  const waited = list.firstLookup().then(() => {
    waits = false;
  });
  clock.advance(1999);
  await settled();
  expect([waits, list.isLookedUp()]).toEqual([true, false]);
  clock.advance(1);
  await waited;
  expect(list.isLookedUp()).toBe(true);
  expect(found).toEqual([["https://configured.example", "then"]]);
  list.close();
});

test("the list is looked up again every hour", async () => {
  const { clock, services, found, list } = start();
  await settled();
  services[srvName] = ["b.directory.example"];
  clock.advance(3_599_999);
  await settled();
  expect(found).toHaveLength(2);
  clock.advance(1);
  await settled();
  expect(found.slice(2)).toEqual([["https://b.directory.example", "then", "https://configured.example"]]);
  clock.advance(3_600_000);
  await settled();
  expect(found).toHaveLength(4);
  list.close();
});

test("the list is looked up again when no mirror responded, but twice a minute at most", async () => {
  const { clock, found, list } = start();
  await settled();
  list.lookUpAgain();
  await settled();
  expect(found).toHaveLength(2);
  clock.advance(30_000);
  list.lookUpAgain();
  list.lookUpAgain();
  await settled();
  expect(found).toHaveLength(3);
  list.close();
});

test("a closed list does no more lookups, and ignores one that was in progress", async () => {
  const { clock, found, list } = start();
  list.close();
  list.lookUpAgain();
  clock.advance(10_000_000);
  await settled();
  expect([found.length, clock.pending]).toEqual([1, 0]);
});
