// The callers of a run. Each makes one call after another, in any protocol, with any key, at any node, and records the results.
import { systemClock } from "../../../src/runtime/clock.ts";
import type { CallInput } from "./call-inputs.ts";
import type { Customer } from "./customers.ts";
import { type CallRecord, PROTOCOLS } from "./history.ts";
import type { CallResult, NodeClient } from "./node-client.ts";

/** What callers need to know about a node. */
export interface Callee {
  readonly name: string;
  readonly client: NodeClient;
}

/** Numbers from 0 up to but not including 1. */
export type Random = () => number;

/** One of several. */
export const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

/** Waits in real time. */
export const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls that are recorded. */
export class Callers {
  readonly calls: CallRecord[] = [];

  /** Makes one call, with a random key and protocol. */
  async call(random: Random, node: Callee, customer: Customer, input: CallInput): Promise<CallResult["outcome"] | undefined> {
    const protocol = pick(random, PROTOCOLS);
    const key = pick(random, customer.keys);
    const startMs = systemClock.monotonicMs();
    const result = await node.client.call(protocol, input, key.secret);
    const endMs = systemClock.monotonicMs();
    if (result !== undefined) {
      this.calls.push({ node: node.name, subscription: customer.name, key: key.id, protocol, startMs, endMs, ...result });
    }
    return result?.outcome;
  }

  /** This many callers of one customer call random nodes, `perSecond` times in total, until they are stopped. */
  async callOn(options: {
    readonly random: Random;
    readonly customer: Customer;
    readonly nodes: () => readonly Callee[];
    readonly callers: number;
    readonly perSecond: number;
    readonly isOver: () => boolean;
  }): Promise<void> {
    const { random, customer, nodes, callers, perSecond, isOver } = options;
    const beginMs = systemClock.monotonicMs();
    let due = 0;
    const caller = async (): Promise<void> => {
      while (!isOver()) {
        const atMs = beginMs + (1000 * due++) / perSecond;
        await passed(Math.max(0, atMs - systemClock.monotonicMs()));
        const there = nodes();
        if (there.length > 0 && !isOver()) {
          await this.call(random, pick(random, there), customer, pick(random, customer.inputs));
        }
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }

  /**
   * This many callers of one customer call one node, each until the node has reported this many times that the month is used up. Rejects if
   * the node is unable to decide for too long.
   */
  async useUp(random: Random, node: Callee, customer: Customer, callers: number, refusals: number): Promise<void> {
    const caller = async (): Promise<void> => {
      let ableAtMs = systemClock.monotonicMs();
      for (let refused = 0; refused < refusals; ) {
        const outcome = await this.call(random, node, customer, customer.lastInput);
        if (outcome === "QUOTA_EXCEEDED") {
          refused++;
        }
        if (outcome === "QUOTA_EXCEEDED" || outcome === "OK" || outcome === "INVALID_ARGUMENT") {
          ableAtMs = systemClock.monotonicMs();
        } else if (systemClock.monotonicMs() - ableAtMs > UNABLE_MS_MAX) {
          throw new Error(`${node.name} goes on answering ${outcome ?? "nothing"} though the stores are healthy`);
        } else {
          await passed(UNABLE_PAUSE_MS);
        }
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }
}

const UNABLE_MS_MAX = 240_000;
const UNABLE_PAUSE_MS = 50;
