// The composition root: every part of the server is created here, gets what it uses, and is closed in reverse order. Tests build the same
// app.

import { containUncaught, type ResponseHeaders } from "@quintet/http";
import { beginPlanJobs, openPlans, warnOfUnappliedFile, watchPlans } from "./account/offered-plans.ts";
import type { PasswordCost } from "./account/passwords.ts";
import { ensurePrincipalAccounts } from "./account/principal-accounts.ts";
import { createAccountRpc } from "./account/rpc/account-rpc.ts";
import { refundedOutcomes } from "./account/usage-history.ts";
import { CallFeed } from "./account/watch/call-feed.ts";
import { CallLog } from "./account/watch/call-log.ts";
import { beginAlerts, CHECKS_MAX } from "./alerts/alerts.ts";
import { guardLimitsOf, RETURN_LEASES_MS } from "./guard/guard-limits.ts";
import { keyPrefixOf } from "./guard/keys/key.ts";
import { publicKeyCells } from "./guard/keys/public-key.ts";
import { warnAboutPublicKey } from "./guard/keys/public-key-check.ts";
import { createLeaseOwner } from "./guard/lease-owner.ts";
import { beginLeaseReviews } from "./guard/quota/lease-review.ts";
import { RedisStatus } from "./guard/rate/redis/redis-status.ts";
import { MailQueue } from "./mail/mail-queue.ts";
import { createSmtpTransport } from "./mail/smtp-transport.ts";
import { openAccessLog } from "./operations/access-log/access-log-file.ts";
import type { AdminAddress } from "./operations/admin/admin-server.ts";
import { HealthRecorder } from "./operations/health-recorder.ts";
import { LatencyRecorder } from "./operations/latency-recorder.ts";
import { metricsWriter } from "./operations/metrics/metrics-writer.ts";
import type { ThreadCounts } from "./operations/metrics/process-metrics.ts";
import { createMetricsMemory } from "./operations/metrics/worker-metrics.ts";
import { readServerState } from "./operations/read-server-state.ts";
import type { Clock } from "./runtime/clock.ts";
import type { Log } from "./runtime/log.ts";
import type { Randomness } from "./runtime/randomness.ts";
import { tuneToServe } from "./runtime/v8-flags.ts";
import type { Config } from "./server-config.ts";
import { upstreamGroups } from "./services/registry.ts";
import { monitorSources } from "./services/source-checks.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/store.ts";
import { beginExpiry, startCountAggregation } from "./store/store-jobs.ts";
import { startLocalWorker } from "./workers/local-worker.ts";
import { servedMethods, streamingMethods } from "./workers/served-methods.ts";
import { type StartThread, startThread, startThreadedWorkers } from "./workers/threaded-workers.ts";
import { TlsWatch } from "./workers/tls-watch.ts";

// How long e-mails in progress may take when the server stops.
const MAIL_CLOSE_MS = 2000;

export interface AppOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /**
   * Registers a callback for uncaught errors of the process. If the callback returns true, the error belonged to one connection, which is
   * cut, and the process continues. Otherwise the process exits with 1.
   */
  readonly onUncaught?: (isContained: (error: unknown) => boolean) => void;
  /** Headers that are added to every response from a service. */
  readonly extraHeaders?: ResponseHeaders;
  /** Starts a worker thread instead of the built-in function, if several are configured. */
  readonly startThread?: StartThread;
  /** How expensive the hash of a password is. Only tests, which make many, set it. */
  readonly passwordCost?: PasswordCost;
}

interface AppAddress {
  readonly host: string;
  readonly port: number;
  /** Undefined if there is no admin port. */
  readonly admin: AdminAddress | undefined;
}

export interface App {
  /** Accepts connections at the configured addresses, and returns them. Rejects with an AdminListenError for the admin port. */
  listen(): Promise<AppAddress>;
  /**
   * Opens the access log again by its path, and reads the TLS files again. Throws if the TLS files are faulty, and keeps using the previous
   * ones. Returns which of the two are configured.
   */
  reload(): { readonly tlsFiles: boolean; readonly accessLog: boolean };
  /** Lets calls in progress end, for at most the configured time, then closes everything. */
  close(): Promise<void>;
}

/** Creates the app. Rejects, with nothing left open, if the plans, the rules, the TLS files or the data directory are faulty. */
export async function buildApp(config: Config, options: AppOptions): Promise<App> {
  const { clock, randomness, log, onUncaught } = options;
  onUncaught?.((error) => containUncaught(error, log));
  const tlsWatch = config.tls && new TlsWatch(config.tls, { clock, log });
  const { dataDir, database } = config;
  const databaseKind = database === undefined ? "embedded" : "postgresql";
  const store = await openStore({ dataDir, database, clock, log, role: "server" });
  const limits = guardLimitsOf(config);
  const leaseOwner = createLeaseOwner({ store, clock, log, limits, threads: config.workers });
  const accessLog = config.accessLog && openAccessLog(config.accessLog, clock, log);
  const closeStore = async (withinMs: number): Promise<void> => {
    await leaseOwner.close(withinMs);
    await store.close();
    await accessLog?.close();
  };
  try {
    if (config.redisUrl !== undefined) {
      // The Redis client takes long to load, and servers without Redis do not need it.
      const { requireNoEviction } = await import("./guard/rate/redis/inspect-redis.ts");
      await requireNoEviction(config.redisUrl, clock);
    }
    const plans = await openPlans(store, config.plansPath);
    if (config.plansPath !== undefined) {
      await warnOfUnappliedFile(store, config.plansPath, log);
    }
    await ensurePrincipalAccounts({ store, plans, randomness, log }, config.meshPrincipals);
    // A sandbox creates its key later.
    if (config.explore !== undefined && !config.isSandbox) {
      await warnAboutPublicKey({ ...config.explore, store, plans, log, nowMs: clock.nowMs() });
    }
    const callFeed = new CallFeed(clock);
    // Methods are counted only for the admin port.
    const methods = config.admin === undefined ? [] : await servedMethods();
    const metrics = Array.from({ length: config.workers }, () => createMetricsMemory(methods));
    const streams = await streamingMethods();
    const health = new HealthRecorder({ store, metrics, streams, clock, log });
    const latency = new LatencyRecorder({ store, streams, clock, log });
    const logCalls: Store["logCalls"] = (calls) => {
      health.logged(calls);
      latency.logged(calls);
      return store.logCalls(calls);
    };
    const callLog = new CallLog({ store: { logCalls }, log });
    const redisCells = RedisStatus.of(config.workers).cells;
    const redisStatus = config.redisUrl === undefined ? undefined : new RedisStatus(redisCells);
    const publicKeyMemory = config.explore && publicKeyCells(randomness.bytes(4));
    let threads = (): ThreadCounts => ({ configured: config.workers, running: 0, replaced: 0 });
    const transport = config.mail && (await createSmtpTransport(config.mail));
    const mail = config.mail &&
      transport && { queue: new MailQueue({ transport, clock, log }), transport, publicUrl: config.mail.publicUrl };
    // The package of Stripe is loaded only if customers can pay by card.
    const payments =
      config.payments &&
      new (await import("./payments/payments.ts")).CardPayments({
        ...{ config: config.payments, proxy: config.outbound.proxy, store, clock, randomness, log },
      });
    const accountRpc = createAccountRpc({
      billing: payments,
      mail,
      publicUrl: config.publicUrl,
      identityProviders: config.identityProviders,
      proxy: config.outbound.proxy,
      store,
      plans,
      clock,
      randomness,
      keyPrefix: keyPrefixOf(config),
      unspent: (key, day) => leaseOwner.allowances.left(key, day),
      callFeed,
      allowsPrivateWebhooks: config.webhooks.allowsPrivate,
      passwordCost: options.passwordCost,
      serverState: () =>
        readServerState({
          metrics,
          leaseOwner,
          threads: threads(),
          calls: health.calls,
          callsMissingFromLog: callLog.dropped,
          redisStatus,
          databaseKind,
          clock,
        }),
    });
    const parts = {
      extraHeaders: {},
      startThread,
      metrics,
      redisCells,
      publicKeyCells: publicKeyMemory,
      writeAccessLog: accessLog?.write,
      ...options,
      config,
      tlsWatch,
      store: health.watching(store),
      leaseOwner,
      limits,
      plans,
      accountRpc,
      receivePaymentEvent: payments?.receive,
      callFeed,
      callLog,
    };
    const workers = config.workers === 1 ? await startLocalWorker(parts) : await startThreadedWorkers(parts);
    threads = () => workers.threads();
    const webhooks = { ...config.webhooks, ...config.outbound };
    const checksMax = CHECKS_MAX[databaseKind];
    const alerts = beginAlerts({ store, clock, randomness, log, checksMax, refunded: refundedOutcomes, mail, webhooks });
    payments?.begin();
    const planJobs = beginPlanJobs({ store, clock, log });
    const adminServer = config.admin && (await import("./operations/admin/admin-server.ts"));
    // Only the metrics show what it finds.
    const sources = config.admin && monitorSources(upstreamGroups(config.services), { ...config, clock, randomness, log });
    const admin = adminServer?.createAdminServer({
      log,
      metrics: metricsWriter(metrics, {
        leaseOwner,
        nodeStatus: store.nodeStatus,
        threads,
        redisStatus,
        certificateExpiryMs: () => tlsWatch?.expiresAtMs,
        sourceChecks: () => sources?.latest ?? [],
        alertDeliveries: () => alerts.counts,
        planRequestsWaiting: () => planJobs.requestsWaiting,
        webhookDeliveries: () => alerts.webhookCounts,
        clock,
      }),
    });
    // The lease owner began to listen first, so a change is already in its epoch when the workers learn of the change.
    const offers = watchPlans({ store, clock, log, plans, changed: (offered) => workers.usePlans(offered) });
    const stopListening = store.onChange((accountId) => {
      workers.changed(accountId);
      offers.changed(accountId);
    });
    const endExpiry = beginExpiry({ store, clock, log });
    const stopCountAggregation = startCountAggregation({ store, clock, randomness, log });
    const endReviews = beginLeaseReviews({ ...leaseOwner, store, clock, log });
    return {
      async listen() {
        await leaseOwner.loadBusiest();
        const adminAddress = config.admin && (await admin?.listen(config.admin));
        tuneToServe();
        const address = await workers.listen(config.host, config.port);
        tlsWatch?.begin((tls) => workers.useTls(tls));
        return { ...address, admin: adminAddress };
      },
      reload() {
        accessLog?.reopen();
        if (tlsWatch !== undefined) {
          workers.useTls(tlsWatch.reload());
        }
        return { tlsFiles: tlsWatch !== undefined, accessLog: accessLog !== undefined };
      },
      async close() {
        tlsWatch?.end();
        sources?.close();
        await Promise.all([
          planJobs.close(),
          payments?.close(),
          endExpiry(),
          stopCountAggregation(),
          endReviews(),
          alerts.close(MAIL_CLOSE_MS),
        ]);
        const untilMs = clock.monotonicMs() + config.drainDelayMs + config.drainMs;
        await workers.stop();
        await admin?.close();
        await callLog.close();
        await Promise.all([health.close(), latency.close()]);
        await accountRpc.close();
        await mail?.queue.close(MAIL_CLOSE_MS);
        stopListening();
        await closeStore(Math.max(RETURN_LEASES_MS, untilMs - clock.monotonicMs()));
      },
    };
  } catch (error) {
    await closeStore(RETURN_LEASES_MS);
    throw error;
  }
}
