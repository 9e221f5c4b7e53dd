// A server for the conformance runner, configured as the runner requests. It is the real product: the listener, the dispatcher, the guard
// with its own store, and both pipelines. The runner cannot send our key, so a customer's key is added to each request before the
// dispatcher sees it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAccount } from "../../../src/account/accounts.ts";
import { createKey } from "../../../src/account/keys.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import type { TlsFiles } from "../../../src/config/tls.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { createGuard } from "../../fixtures/one-thread-guard.ts";
import { planFile } from "../../fixtures/plan-file.ts";
import { quickDirectory } from "../../fixtures/quick-directory.ts";
import { createStack } from "../../fixtures/stack.ts";
import type { Conformance, ServerRequest } from "./messages.ts";
import { createConformanceService } from "./service.ts";

/** A server that listens. */
export interface ConformanceServer {
  readonly host: string;
  readonly port: number;
  /** Closes it and removes its files. */
  close(): Promise<void>;
}

const clock = systemClock;
const randomness = systemRandomness;
const log = createLog("silent");

/** Starts a server on a free port. */
export async function startConformanceServer(conformance: Conformance, wanted: ServerRequest): Promise<ConformanceServer> {
  const folder = await mkdtemp(join(quickDirectory(), "quintet-conformance-"));
  const plansPath = join(folder, "plans.json");
  await writeFile(plansPath, planFile({}));
  const store = await openStore({ dataDir: folder, clock, role: "server" });
  await store.applyPlans(loadPlans(plansPath).all);
  const key = await generateKey(store);
  const guard = createGuard({ store, plans: loadPlans(plansPath), clock, log });
  const service = {
    name: "farkle" as const,
    desc: conformance.service,
    implementation: createConformanceService(conformance, clock),
    close: async () => {},
  };
  const limits = {
    bodyBytesMax: wanted.messageReceiveLimit,
    messageBytesMax: wanted.messageReceiveLimit,
    allowsGzip: true,
    isCallerKnown: true,
  };
  const listener = createStack({
    services: [service],
    guard,
    clock,
    log,
    messageLimits: limits,
    tls: await tlsFiles(folder, wanted),
    before: (next) => (exchange) => {
      (exchange.headers as Record<string, string>)["x-gateway-key"] = key;
      next(exchange);
    },
  });
  const { host, port } = await listener.listen("127.0.0.1", 0);
  return {
    host,
    port,
    async close() {
      await listener.close();
      await guard.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function generateKey(to: Store): Promise<string> {
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

async function tlsFiles(folder: string, { serverCreds, clientTlsCert }: ServerRequest): Promise<TlsFiles | undefined> {
  if (serverCreds === undefined) {
    return undefined;
  }
  const keep = async (name: string, bytes: Uint8Array): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  };
  const clientCa = clientTlsCert.byteLength === 0 ? undefined : await keep("client.pem", clientTlsCert);
  return {
    cert: await keep("cert.pem", serverCreds.cert),
    key: await keep("key.pem", serverCreds.key),
    clientCa,
    clientCerts: clientCa === undefined ? "off" : "require",
  };
}
