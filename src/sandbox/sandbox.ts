// The sandbox's upstreams: a stand-in for each, the control server, and the environment variables that point a server at them.
import type { Clock } from "../runtime/clock.ts";
import { type Control, startControl } from "./control.ts";
import { startAllStandIns } from "./stand-ins/all-stand-ins.ts";
import type { StandIn } from "./stand-ins/stand-in.ts";

/** The seed of all invented data: the same at every start. */
const SEED = 1;

export interface Sandbox {
  readonly standIns: readonly StandIn[];
  readonly control: Control;
  /** Environment variables that point a server at the stand-ins, and at nothing else. */
  readonly variables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Starts every stand-in, on free ports of 127.0.0.1, and the control server on `controlPort`, 0 for a free one. Rejects, with nothing left
 * open, if that port is taken.
 */
export async function startSandbox({ clock, controlPort }: { clock: Clock; controlPort: number }): Promise<Sandbox> {
  const { standIns, variables } = await startAllStandIns({ seed: SEED, clock });
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
    variables,
    async close() {
      await control.close();
      await closeStandIns();
    },
  };
}
