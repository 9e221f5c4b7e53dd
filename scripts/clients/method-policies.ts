// What the service config says about each method of the data services, for clients that do not read it themselves.
import { dataServicesOf } from "../data-services/data-services.ts";
import { readServices } from "../protos.ts";
import { serviceConfig } from "../service-config.ts";

/** How a method is called. */
export interface MethodPolicy {
  /** The deadline for all attempts together; undefined if there is none. */
  readonly timeoutMs?: number;
  /** 1 if a failed call is not repeated. */
  readonly attempts: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  readonly backoffMultiplier: number;
}

const msOf = (seconds: string): number => Number.parseFloat(seconds) * 1000;

/** Path, such as `/quintet.farkle.v1.FarkleService/Score` → how the method is called. */
export function methodPolicies(): Readonly<Record<string, MethodPolicy>> {
  const { methodConfig } = serviceConfig();
  const methods = dataServicesOf(readServices()).flatMap(({ desc }) => desc.methods);
  return Object.fromEntries(
    methods.map(({ parent, name }) => {
      const of = (method: string | undefined) =>
        methodConfig.find((config) => config.name.some((one) => one.service === parent.typeName && one.method === method));
      const { timeout, retryPolicy } = of(name) ?? of(undefined) ?? {};
      return [
        `/${parent.typeName}/${name}`,
        {
          ...(timeout !== undefined && { timeoutMs: msOf(timeout) }),
          attempts: retryPolicy?.maxAttempts ?? 1,
          backoffMs: msOf(retryPolicy?.initialBackoff ?? "0s"),
          backoffMsMax: msOf(retryPolicy?.maxBackoff ?? "0s"),
          backoffMultiplier: retryPolicy?.backoffMultiplier ?? 1,
        },
      ];
    }),
  );
}
