// A worker's health: what it depends on, and how its callers learn that it is about to stop.
import { ACCOUNT_SERVICES } from "../account/account-methods.ts";
import { WorkerHealth, type WorkerHealthOptions } from "../operations/health/worker-health.ts";
import type { Clock } from "../runtime/clock.ts";
import type { DataService } from "../services/service.ts";

/**
 * The health of the services. A service stays healthy if its upstream fails: every node has the same upstream, and cached responses are
 * still served.
 */
export function createHealth(
  dataServices: readonly DataService[],
  { canAdmit, clock }: Pick<WorkerHealthOptions, "canAdmit" | "clock">,
): WorkerHealth {
  const services = new Map<string, (() => boolean) | undefined>(ACCOUNT_SERVICES.map(({ typeName }) => [typeName, undefined]));
  for (const service of dataServices) {
    services.set(service.desc.typeName, service.isServing && (() => service.isServing?.() === true));
  }
  const hasStarted = (): boolean => dataServices.every((service) => service.isReady?.() ?? true);
  return new WorkerHealth({ services, canAdmit, hasStarted, clock });
}

/**
 * Resolves after `delayMs`, so that callers who check health and readiness can stop sending calls here. Even with a delay of 0, those who
 * watch health are notified before their stream is cut.
 */
export function awaitDrainDelay(clock: Pick<Clock, "after">, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (delayMs === 0) {
      setImmediate(resolve);
    } else {
      clock.after(delayMs, resolve);
    }
  });
}
