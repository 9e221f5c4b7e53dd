import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type AddressResolver, createPublicLookup, publicLookup } from "../../src/runtime/public-lookup.ts";

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

/** A resolver that knows one name's addresses. */
const resolverOf = (ipv4: string[], ipv6: string[]): AddressResolver =>
  ({
    resolve4: ipv4.length > 0 ? () => Promise.resolve(ipv4) : failing("ENODATA"),
    resolve6: ipv6.length > 0 ? () => Promise.resolve(ipv6) : failing("ENODATA"),
  }) as unknown as AddressResolver;

/** What the lookup passes to its callback. */
const outcomeOf = (resolver: AddressResolver, options: { all?: boolean; family?: number }, name = "acme.example") =>
  new Promise((resolve) => {
    createPublicLookup(() => resolver)(name, options, (error, address, family) =>
      resolve(error === null ? [address, family] : (error.code ?? error.message)),
    );
  });

test("a name has all of its addresses, or the first", async () => {
  const resolver = resolverOf(["8.8.8.8", "8.8.4.4"], ["2620:fe::fe"]);
  expect(await outcomeOf(resolver, { all: true })).toEqual([
    [
      { address: "8.8.8.8", family: 4 },
      { address: "8.8.4.4", family: 4 },
      { address: "2620:fe::fe", family: 6 },
    ],
    undefined,
  ]);
  expect(await outcomeOf(resolver, { all: false })).toEqual(["8.8.8.8", 4]);
  expect(await outcomeOf(resolver, { family: 6 })).toEqual(["2620:fe::fe", 6]);
  expect(await outcomeOf(resolverOf([], ["2620:fe::fe"]), {})).toEqual(["2620:fe::fe", 6]);
});

test.each([
  [["127.0.0.1"], []],
  [["8.8.8.8", "10.0.0.1"], []],
  [["8.8.8.8"], ["fd00::1"]],
])("a name with the addresses %j and %j is refused", async (ipv4, ipv6) => {
  expect(await outcomeOf(resolverOf(ipv4, ipv6), { all: true })).toBe("PRIVATE_ADDRESS");
});

test("a name without an address is unknown, unless the resolver may answer later", async () => {
  const dead = { resolve4: failing("ETIMEOUT"), resolve6: failing("ENODATA") } as unknown as AddressResolver;
  expect([await outcomeOf(resolverOf([], []), {}), await outcomeOf(dead, {})]).toEqual(["ENOTFOUND", "EAI_AGAIN"]);
});

test("each lookup has a new resolver, which knows the system's present name servers", async () => {
  const present = [resolverOf(["8.8.8.8"], []), resolverOf(["8.8.4.4"], [])];
  const lookUp = createPublicLookup(() => present.shift() as AddressResolver);
  const found = await Promise.all(
    [1, 2].map(() => new Promise((resolve) => lookUp("acme.example", {}, (_, address) => resolve(address)))),
  );
  expect(found).toEqual(["8.8.8.8", "8.8.4.4"]);
});

test("this machine's own name is refused without a query", async () => {
  const outcome = await new Promise((resolve) => {
    publicLookup("localhost", { all: true }, (error, address) => resolve([error?.message, address]));
  });
  expect(outcome).toEqual(["the name resolves to a private address", []]);
});

test("names whose servers never respond keep nobody else's lookup waiting", async () => {
  const resolver = new Resolver({ timeout: 3_600_000, tries: 1 });
  resolver.setServers([await startNameServer()]);
  onTestFinished(() => resolver.cancel());
  for (let each = 0; each < 32; each += 1) {
    void outcomeOf(resolver, {}, `silent-${each}.example`);
  }
  expect(await outcomeOf(resolver, { family: 4 }, "quick.example")).toEqual(["8.8.8.8", 4]);
});

/** A name server that answers only queries for names that begin with `quick`, with one address. Returns its own. */
async function startNameServer(): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    if (query.includes("quick")) {
      const header = Buffer.from([query[0] as number, query[1] as number, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
      const questionEnd = query.indexOf(0, 12) + 5;
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 8, 8, 8, 8]);
      socket.send(Buffer.concat([header, query.subarray(12, questionEnd), record]), port, address);
    }
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`;
}
