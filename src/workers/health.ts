// A worker's health: what it depends on, and how its callers hear that it is about to stop.
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { WorkerHealth, type WorkerHealthOptions } from "../operations/health/worker-health.ts";
import type { Clock } from "../runtime/clock.ts";
import type { DataService } from "../services/service.ts";

/**
 * The health of the services. One is not taken out when its upstream fails: every node has the same upstream, and what is remembered is still
 * answered.
 */
export function createHealth(
  dataServices: readonly DataService[],
  { canAdmit, clock }: Pick<WorkerHealthOptions, "canAdmit" | "clock">,
): WorkerHealth {
  const services = new Map<string, (() => boolean) | undefined>(
    [AccountService, SignInService].map(({ typeName }) => [typeName, undefined]),
  );
  for (const service of dataServices) {
    services.set(service.desc.typeName, service.isServing && (() => service.isServing?.() === true));
  }
  return new WorkerHealth({ services, canAdmit, clock });
}

/**
 * Resolves after `delayMs`, in which callers who look at health and readiness stop sending calls here. Even with a delay of 0, those who watch
 * hear of it before their stream is cut.
 */
export function letCallersGo(clock: Pick<Clock, "after">, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (delayMs === 0) {
      setImmediate(resolve);
    } else {
      clock.after(delayMs, resolve);
    }
  });
}
