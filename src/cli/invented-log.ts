// Invents entries for the sandbox's call log: a sample of the calls that an hour's counts stand for, with every outcome among them.
import type { ServiceName } from "../catalogue/service-names.ts";
import { REASONS } from "../problem/reason.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { LoggedCall } from "../store/usage-records.ts";
import type { InventedCalls, InventedRefusals } from "./invented-calls.ts";
import { inventDurationMs } from "./invented-latency.ts";

/** A call without its customer. */
export type InventedCall = Omit<LoggedCall, "accountId" | "keyId" | "keyLastFour">;

// A busy hour gets about 35 entries, and a week about 3000: few enough to be written quickly when the sandbox starts.
const CALLS_PER_ENTRY = 100;
const PROTOCOLS = ["rest", "grpc", "grpc-web", "connect"] as const;
// No failures are invented for Connect, because it has its own HTTP statuses for them.
const PROTOCOLS_OF_FAILURES = PROTOCOLS.slice(0, -1);
const RESPONSE_BYTES: Readonly<Partial<Record<ServiceName, number>>> = {
  radio: 9200,
  "token-price": 640,
  "token-list": 5100,
  bitcoin: 1900,
  farkle: 410,
};
// For services that are not listed above.
const RESPONSE_BYTES_DEFAULT = 900;
const FAILURE_BYTES = 480;
const REFUSED_MS_MAX = 0.3;

/** Calls between `fromMs` and `untilMs` that fit the counts, in no particular order. */
export function inventLog(
  { unit, uuid }: Pick<Randomness, "unit" | "uuid">,
  { calls, refusals }: { readonly calls: readonly InventedCalls[]; readonly refusals: readonly InventedRefusals[] },
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): readonly InventedCall[] {
  const callOf = ({ service, method, outcome }: InventedCalls, isRefused: boolean): InventedCall => {
    const isOk = outcome === "OK";
    const protocols = isOk ? PROTOCOLS : PROTOCOLS_OF_FAILURES;
    const protocol = protocols[Math.floor(unit() * protocols.length)] ?? "rest";
    const bytes = isOk ? (RESPONSE_BYTES[service] ?? RESPONSE_BYTES_DEFAULT) : FAILURE_BYTES;
    return {
      id: uuid(),
      startedAtMs: Math.floor(fromMs + unit() * (untilMs - fromMs)),
      service,
      method,
      protocol,
      httpStatus: isOk || protocol !== "rest" ? 200 : REASONS[outcome].httpStatus,
      outcome,
      isRefused,
      isDryRun: false,
      durationMs: isRefused ? unit() * REFUSED_MS_MAX : inventDurationMs({ unit }, service),
      requestBytes: protocol === "rest" ? 0 : Math.round(12 + 50 * unit()),
      responseBytes: Math.round(bytes * (0.7 + 0.6 * unit())),
      requestId: uuid(),
      leftOut: 0,
      parameters: undefined,
    };
  };
  const entries = (count: number, call: () => InventedCall): readonly InventedCall[] =>
    Array.from({ length: Math.ceil(count / CALLS_PER_ENTRY) }, call);
  const refused = refusals.flatMap(({ service, reason, calls: count }) => {
    const method = calls.find((one) => one.service === service)?.method;
    return method === undefined ? [] : entries(count, () => callOf({ service, method, outcome: reason, calls: count }, true));
  });
  return [...calls.flatMap((counts) => entries(counts.calls, () => callOf(counts, false))), ...refused];
}
