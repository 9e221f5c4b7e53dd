// The token list service behind an in-memory transport, with the validation that the server applies, over a stand-in for the lists'
// publishers and a clock that the test moves.
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { createValidation, validationInterceptor } from "../../../src/gateway/rpc/validation.ts";
import type { TokenListConfig } from "../../../src/services/tokenlist/config.ts";
import { createTokenList } from "../../../src/services/tokenlist/service.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";

/** 2026-11-21 12:00:00 UTC. */
export const nowMs = Date.UTC(2026, 10, 21, 12);

/** Ten minutes. */
export const refreshIntervalMs = 600_000;

/** A running service. */
export interface StartedTokenList {
  readonly client: Client<typeof TokenListService>;
  readonly clock: ManualClock;
  /** How many attempts to read a list have ended. */
  attempts(): number;
  /** How many of them brought something new, according to the log. */
  listsRead(): number;
  /** How many indexes were built, according to the log. */
  indexesBuilt(): number;
  /** Whether the service reports that it has tried every list. */
  isReady(): boolean | undefined;
  /** Whether the service reports that it can respond. */
  isServing(): boolean | undefined;
  close(): Promise<void>;
}

const nothing = { debug() {}, warn() {}, error() {} };

// No timer within an attempt is so far in the future; only the timer for the next attempt is.
const retryMs = 60_000;

/** Starts the service over these lists, without randomness in when it requests them again. */
export function startTokenList(lists: TokenListConfig["lists"]): StartedTokenList {
  const clock = createManualClock({ nowMs });
  let attempts = 0;
  let listsRead = 0;
  let indexesBuilt = 0;
  const service = createTokenList({
    config: { lists, refreshIntervalMs },
    outbound: { userAgent: "Quintet/test", connectTimeoutMs: 2000 },
    clock: {
      ...clock,
      after(delayMs, run) {
        attempts += delayMs >= retryMs ? 1 : 0;
        return clock.after(delayMs, run);
      },
    },
    randomness: { bytes: (count) => new Uint8Array(count), uuid: () => "", unit: () => 0.5 },
    log: {
      ...nothing,
      info: (_fields: unknown, message?: string) => {
        listsRead += message === "token list read" ? 1 : 0;
        indexesBuilt += message === "token lists indexed" ? 1 : 0;
      },
    },
  });
  service.begin?.();
  const transport = createRouterTransport(({ service: register }) => register(service.desc, service.implementation), {
    router: { interceptors: [validationInterceptor(createValidation())] },
  });
  const client = createClient(TokenListService, transport);
  return {
    client,
    clock,
    attempts: () => attempts,
    listsRead: () => listsRead,
    indexesBuilt: () => indexesBuilt,
    isReady: () => service.isReady?.(),
    isServing: () => service.isServing?.(),
    close: () => service.close(),
  };
}

/** Runs the event loop until `check` returns true; if it never does, the test's own time limit ends the wait. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) {
    await nextTurn();
  }
}
