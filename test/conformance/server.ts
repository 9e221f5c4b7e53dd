// The server under test of the conformance runner. It reads what it should be on standard input, listens, and says where on standard
// output. Everything is the real thing: the listener, the front, the guard on a store of its own, both lanes. The runner cannot send our
// key, so what stands before the front adds the key of a customer to each request; from there on nothing is different.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createAccount } from "../../src/account/accounts.ts";
import { createKey } from "../../src/account/keys.ts";
import { systemClock } from "../../src/clock.ts";
import { createGuard } from "../../src/guard/create-guard.ts";
import { loadPlans } from "../../src/guard/plans.ts";
import { createLog } from "../../src/log.ts";
import { systemRandomness } from "../../src/randomness.ts";
import type { TlsFiles } from "../../src/server/tls.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { createStack } from "../lanes/stack.ts";
import { planFile } from "../plan-file.ts";
import { loadConformance, type ServerRequest } from "./messages.ts";
import { createConformanceService } from "./service.ts";

const clock = systemClock;
const randomness = systemRandomness;
const log = createLog("silent");
const conformance = loadConformance();

const wanted = await readRequest();
const folder = await mkdtemp(join(tmpdir(), "quintet-conformance-"));
const plansPath = join(folder, "plans.json");
await writeFile(plansPath, planFile({}));
const store = await openStore({ dataDir: folder, clock, role: "server" });
const key = await makeKey(store);
const guard = createGuard({ store, plans: loadPlans(plansPath), clock, log });
const service = {
  name: "farkle" as const,
  desc: conformance.service,
  implementation: createConformanceService(conformance, clock),
  close: async () => {},
};
const limits = { bodyBytesMax: wanted.messageReceiveLimit, messageBytesMax: wanted.messageReceiveLimit };
const listener = createStack({
  services: [service],
  guard,
  clock,
  log,
  messageLimits: limits,
  tls: await tlsFiles(),
  before: (next) => (exchange) => {
    exchange.headers["x-gateway-key"] = key;
    next(exchange);
  },
});
const { host, port } = await listener.listen("127.0.0.1", 0);
process.on("SIGTERM", async () => {
  await listener.close();
  await guard.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});
writeResponse({ host, port, pemCert: wanted.serverCreds?.cert ?? new Uint8Array(0) });

// Messages on standard input and output have their length before them, in four bytes.
async function readRequest(): Promise<ServerRequest> {
  const bytes = await buffer(process.stdin);
  return fromBinary(conformance.message("ServerCompatRequest"), bytes.subarray(4)) as ServerRequest;
}

function writeResponse(fields: { host: string; port: number; pemCert: Uint8Array }): void {
  const schema = conformance.message("ServerCompatResponse");
  const bytes = toBinary(schema, create(schema, fields as never));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.byteLength);
  process.stdout.write(Buffer.concat([length, bytes]));
}

async function makeKey(to: Store): Promise<string> {
  const account = await createAccount({ store: to, randomness }, { name: "conformance", email: null });
  await to.createSubscription({
    id: randomness.uuid(),
    accountId: account.id,
    service: "farkle",
    plan: "free",
    state: "active",
  });
  const { secret } = await createKey(
    { store: to, clock, randomness },
    { accountId: account.id, name: "conformance", services: null, expiresAtMs: null },
  );
  return secret;
}

async function tlsFiles(): Promise<TlsFiles | undefined> {
  const { serverCreds, clientTlsCert } = wanted;
  if (serverCreds === undefined) {
    return undefined;
  }
  const keep = async (name: string, bytes: Uint8Array): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  };
  return {
    cert: await keep("cert.pem", serverCreds.cert),
    key: await keep("key.pem", serverCreds.key),
    clientCa: clientTlsCert.byteLength === 0 ? undefined : await keep("client.pem", clientTlsCert),
  };
}
