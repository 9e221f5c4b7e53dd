// Keeps the list of mirrors up to date: looks them up at the beginning, then every hour, and again soon after no mirror
// responded to a call.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { type DiscoveryOptions, discoverMirrors } from "./discovery.ts";

const REFRESH_MS = 3_600_000;
/** After failed calls, mirrors are looked up no more often than this. */
const REFRESH_SOON_MS = 30_000;

interface MirrorListOptions extends DiscoveryOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the mirrors' origins after each lookup. */
  readonly onFound: (origins: readonly string[]) => void;
}

export interface MirrorList {
  /** Looks the mirrors up for the first time. */
  begin(): void;
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
    const origins = await discoverMirrors(options);
    if (!closed) {
      log.info({ upstream: "radio", mirrors: origins }, "mirrors of the radio directory");
      onFound(origins);
      cancelNext = clock.after(REFRESH_MS, lookUpInTurn);
    }
  };
  const lookUpInTurn = (): void => {
    lookingUp = lookingUp.then(() => (closed ? undefined : lookUp()));
  };

  onFound(mirrors);
  return {
    begin: lookUpInTurn,
    lookUpAgain() {
      if (!closed && clock.monotonicMs() - lookedUpAtMs >= REFRESH_SOON_MS) {
        lookedUpAtMs = clock.monotonicMs();
        lookUpInTurn();
      }
    },
    close() {
      closed = true;
      cancelNext();
    },
  };
}
