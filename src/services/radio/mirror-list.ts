// Keeps the list of mirrors up to date: looks them up at the beginning, then every hour, and again soon after no mirror
// responded to a call.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { type DiscoveryOptions, discoverMirrors, type FoundMirrors } from "./discovery.ts";

const REFRESH_MS = 3_600_000;
/** After failed calls, mirrors are looked up no more often than this. */
const REFRESH_SOON_MS = 30_000;
/** How long the first calls wait for the first lookup: several times as long as name servers take. */
const FIRST_LOOKUP_MS = 2000;

interface MirrorListOptions extends DiscoveryOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the mirrors after each lookup. */
  readonly onFound: (mirrors: FoundMirrors) => void;
}

export interface MirrorList {
  /** Looks the mirrors up for the first time. */
  begin(): void;
  /** Resolves when the lookup that `begin` started has ended or takes too long. Until then, only the configured mirrors are known. */
  firstLookup(): Promise<void>;
  /** Whether that is so. */
  isLookedUp(): boolean;
  /** Looks the mirrors up again, unless it has just done so. Call it when no mirror responded. */
  lookUpAgain(): void;
  /**
   * Stops looking for mirrors. Does not wait for a lookup in progress, whose result is ignored: it ends only when name servers respond.
   */
  close(): void;
}

/** Reports the configured mirrors at once, and those that discovery finds after `begin`. */
export function keepMirrorList(options: MirrorListOptions): MirrorList {
  const { clock, log, mirrors, onFound } = options;
  let closed = false;
  let lookedUpAtMs = 0;
  let cancelNext = (): void => {};
  let lookingUp: Promise<void> = Promise.resolve();

  const lookUp = async (): Promise<void> => {
    lookedUpAtMs = clock.monotonicMs();
    cancelNext();
    const found = await discoverMirrors(options);
    if (!closed) {
      log.info({ upstream: "radio", mirrors: found.found, reserves: found.reserves }, "mirrors of the radio directory");
      onFound(found);
      cancelNext = clock.after(REFRESH_MS, lookUpInTurn);
    }
  };
  const lookUpInTurn = (): void => {
    lookingUp = lookingUp.then(() => (closed ? undefined : lookUp()));
  };

  let firstLookup: Promise<void> = Promise.resolve();
  let isLookedUp = false;
  let cancelWait = (): void => {};

  onFound({ found: mirrors, reserves: [] });
  return {
    begin() {
      const { promise, resolve } = Promise.withResolvers<void>();
      firstLookup = promise.then(() => {
        isLookedUp = true;
      });
      cancelWait = clock.after(FIRST_LOOKUP_MS, resolve);
      lookUpInTurn();
      void lookingUp.then(() => {
        cancelWait();
        resolve();
      });
    },
    firstLookup: () => firstLookup,
    isLookedUp: () => isLookedUp,
    lookUpAgain() {
      if (!closed && clock.monotonicMs() - lookedUpAtMs >= REFRESH_SOON_MS) {
        lookedUpAtMs = clock.monotonicMs();
        lookUpInTurn();
      }
    },
    close() {
      closed = true;
      cancelNext();
      cancelWait();
    },
  };
}
