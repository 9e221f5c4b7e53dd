// The sandbox's world: a stand-in for every upstream, the switchboard over them, and the environment that points a server at them.
import type { Clock } from "../runtime/clock.ts";
import { startBitcoinStandIns } from "./bitcoin/bitcoin-stand-ins.ts";
import { type Control, startControl } from "./control.ts";
import { startRadioStandIns } from "./radio/mirrors.ts";
import type { StandIn } from "./stand-in.ts";
import { startTokenListStandIn } from "./tokenlist/token-list-stand-in.ts";
import { startCoinsStandIn } from "./tokenprice/coins-stand-in.ts";

/** The seed of everything that is made up: the same world at every start. */
const SEED = 1;

/** A running world. */
export interface Sandbox {
  readonly standIns: readonly StandIn[];
  readonly control: Control;
  /** Environment variables that point a server at the stand-ins, and at nothing else. */
  readonly variables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Starts every stand-in, on free ports of 127.0.0.1, and the switchboard on `controlPort`, 0 for a free one. Rejects, with nothing left
 * open, when that port cannot be had.
 */
export async function startSandbox({ clock, controlPort }: { clock: Clock; controlPort: number }): Promise<Sandbox> {
  const [radio, coins, lists, bitcoin] = await Promise.all([
    startRadioStandIns({ clock }),
    startCoinsStandIn({ seed: SEED, clock }),
    startTokenListStandIn({ seed: SEED, clock }),
    startBitcoinStandIns({ seed: SEED, clock }),
  ]);
  const standIns = [...radio, coins, lists.standIn, ...bitcoin.standIns];
  const closeStandIns = async (): Promise<void> => {
    await Promise.all(standIns.map((standIn) => standIn.close()));
  };
  const control = await startControl({ standIns, port: controlPort }).catch(async (error: unknown) => {
    await closeStandIns();
    throw error;
  });
  return {
    standIns,
    control,
    variables: {
      QUINTET_RADIO_SRV: "none",
      // So that a person who makes a mirror fail sees what the next call does, and not what the last one found.
      QUINTET_RADIO_FRESH_MS: "0",
      QUINTET_RADIO_MIRRORS: radio.map(({ origin }) => origin).join(","),
      QUINTET_COINS_URL: coins.origin,
      ...lists.variables,
      ...bitcoin.variables,
    },
    async close() {
      await control.close();
      await closeStandIns();
    },
  };
}
