// One rehearsal: all callers call continuously, the servers are restarted one after another, and in the end the callers' results are
// compared with the servers' counts.
import { setTimeout as passed } from "node:timers/promises";
import type { Variables } from "../../fixtures/program.ts";
import type { Caller, Tally } from "./caller.ts";
import { type Counted, HOSTS, Nodes } from "./nodes.ts";
import type { Way } from "./routes.ts";

/** The options of a rehearsal. */
export interface Rehearsal {
  /** A directory for the servers' files. */
  readonly directory: string;
  readonly route: Way;
  readonly callers: readonly Caller[];
  /** How often each server is restarted. */
  readonly rounds: number;
  readonly settings: Variables;
  /**
   * How long a server has served before the other one is restarted. A client that has lost a server retries it after a growing delay, so if
   * both are restarted in quick succession, it may not have found the first again when the second goes down. Orchestrators have a setting
   * for this, such as Kubernetes' `minReadySeconds`.
   */
  readonly readyMs: number;
}

/** The results of a rehearsal. */
export interface Seen {
  /** Restarts of one server. */
  readonly restarts: number;
  /** Caller → what happened to its calls. */
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly counted: Counted;
}

/** Runs one. Rejects if a server does not stop or start as it should. */
export async function rehearse({ directory, route, callers, rounds, settings, readyMs }: Rehearsal): Promise<Seen> {
  const nodes = await Nodes.start(directory, settings);
  try {
    const { close, ...open } = await route.open(nodes);
    const calling = callers.map((caller) => caller.start(open));
    const restarting = restartInTurn(nodes, rounds, readyMs);
    // Stop all callers even if a restart has failed.
    await restarting.catch(() => {});
    const tallies = await Promise.all(calling.map((one) => one.stop()));
    await close();
    const restarts = await restarting;
    const byName = new Map(callers.map(({ name }, index) => [name, tallies[index] as Tally]));
    return { restarts, tallies: byName, counted: await nodes.stop() };
  } finally {
    await nodes.close();
  }
}

async function restartInTurn(nodes: Nodes, rounds: number, readyMs: number): Promise<number> {
  for (let round = 0; round < rounds; round += 1) {
    for (const node of HOSTS.keys()) {
      await passed(readyMs);
      await nodes.restart(node);
    }
  }
  return rounds * HOSTS.length;
}

/** What went wrong: calls that were lost, callers without any calls, and calls that were not counted exactly once. */
export function faultsOf({ tallies, counted }: Seen): readonly string[] {
  const all = [...tallies];
  const answered = all.reduce((sum, [, tally]) => sum + tally.answered, 0);
  const faults = all.flatMap(([name, { answered, lost }]) => [
    ...Object.entries(lost).map(([why, calls]) => `${name} has lost ${calls}: ${why}`),
    ...(answered === 0 ? [`${name} never got a response`] : []),
  ]);
  const { outcomes, leased } = counted;
  if (leased !== answered || outcomes.OK !== answered || Object.keys(outcomes).length > 1) {
    faults.push(`${answered} calls got a response, but the servers counted ${JSON.stringify(counted)}`);
  }
  return faults;
}
