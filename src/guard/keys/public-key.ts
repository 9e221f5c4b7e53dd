// The key that the operator has made public, so that visitors can see the services at work before they sign up. Anybody may call with it,
// so it is charged like any other key and, before that, each network takes from its own allowance: nobody can use it up alone.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import { NetworkAllowance, networkAllowanceCells } from "../memory/network-allowance.ts";
import { ownKeyHint, publicKeyLimited, publicKeyOnlyReads } from "./public-key-refusals.ts";

interface PublicKeyOptions {
  /** The whole key. */
  readonly key: string;
  /** How much each network may call, as the operator has set it. */
  readonly callsPerMinute: number;
  readonly callsPerDay: number;
  /** The methods that it may call, by full name, such as `quintet.farkle.v1.FarkleService/Score`. */
  readonly methods: ReadonlySet<string>;
  /** Memory of all threads, made by `publicKeyCells`. */
  readonly cells: BigInt64Array;
  readonly clock: Pick<Clock, "monotonicMs">;
}

interface PublicCall {
  /** The caller's IP address. */
  readonly address: string;
  /** `quintet.farkle.v1.FarkleService/Score` */
  readonly method: string;
  readonly service: ServiceName;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The memory in which all threads count the calls with the public key. `seed` is random. */
export const publicKeyCells = (seed: Uint8Array): BigInt64Array => networkAllowanceCells(2, seed);

export class PublicKey {
  readonly #options: PublicKeyOptions;
  readonly #allowance: NetworkAllowance;

  constructor(options: PublicKeyOptions) {
    this.#options = options;
    const { cells, callsPerMinute, callsPerDay } = options;
    this.#allowance = new NetworkAllowance(cells, [
      { calls: callsPerMinute, everyMs: MINUTE_MS },
      { calls: callsPerDay, everyMs: DAY_MS },
    ]);
  }

  /** Whether the caller sends this key. */
  is(key: string | undefined): boolean {
    return key === this.#options.key;
  }

  /** Takes a call from the network's allowance, or says why the call may not be made. */
  take({ address, method, service }: PublicCall): Problem | undefined {
    const { methods, clock, callsPerMinute, callsPerDay } = this.#options;
    if (!methods.has(method)) {
      return publicKeyOnlyReads(service);
    }
    const short = this.#allowance.take(address, clock.monotonicMs());
    return (
      short &&
      publicKeyLimited(service, short.waitMs, short.limit === 0 ? `${callsPerMinute} per minute` : `${callsPerDay} per day`)
    );
  }

  /** Adds to a refusal how to get another key: all callers share this key's limits, and cannot change them. */
  withHint(problem: Problem): Problem {
    return { ...problem, message: `${problem.message} ${ownKeyHint}` };
  }
}
