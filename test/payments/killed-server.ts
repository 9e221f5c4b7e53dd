// A server that compares all payments with Stripe once, and is killed (kill -9) at one of its calls to the store: before it, or after it.
// Its arguments are one JSON object.
import { CardPayments } from "../../src/payments/payments.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { createMemoryLog } from "../guard/scene.ts";

const { store: options, config, nowMs, call, isAfter } = JSON.parse(process.argv[2] ?? "");
const clock = createManualClock({ nowMs });
const store = await openStore({ ...options, clock, role: "command" });
let calls = 0;
const kill = (): void => {
  process.kill(process.pid, "SIGKILL");
};
const dying = new Proxy(store, {
  get(target, name) {
    const value = Reflect.get(target, name) as unknown;
    return typeof value !== "function"
      ? value
      : async (...args: unknown[]) => {
          const isLast = ++calls === call;
          if (isLast && !isAfter) {
            kill();
          }
          const result: unknown = await Reflect.apply(value, target, args);
          if (isLast) {
            kill();
          }
          return result;
        };
  },
});
const payments = new CardPayments({
  config: { ...config, apiUrl: new URL(config.apiUrl) },
  ...{ proxy: undefined, store: dying, clock, randomness: systemRandomness, log: createMemoryLog() },
});
let position: Awaited<ReturnType<CardPayments["reconcileSome"]>>;
do {
  position = await payments.reconcileSome(position);
} while (position !== undefined);
await payments.endDue();
await store.close();
