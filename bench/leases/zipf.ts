// Keys whose calls follow Zipf's law: the key of rank r is called 1/r times as often as the first.
const EULER_MASCHERONI = 0.5772156649;

export interface Traffic {
  readonly keys: number;
  readonly callsPerSecond: number;
}

// The sum of 1/r up to a rank.
const harmonic = (rank: number): number => Math.log(rank) + EULER_MASCHERONI + 1 / (2 * rank);

/** Calls a second of the key of this rank. */
export const paceOf = ({ keys, callsPerSecond }: Traffic, rank: number): number => callsPerSecond / rank / harmonic(keys);

/**
 * How long it takes until a server has looked at all its leases once, in seconds, if it must evict some because it has room for `capacity`
 * of them. Calls of a key reach `servers` of all `fleet` servers. Infinity if there is room for all.
 */
export function evictionRoundS(traffic: Traffic, capacity: number, servers: number, fleet: number): number {
  // A lease is there from its first call on until it is found idle: that is the part pT / (1 + pT) of the time for p calls a second.
  const heldAfter = (roundS: number): number => {
    let held = 0;
    for (let first = 1; first < traffic.keys; ) {
      const next = Math.min(traffic.keys, Math.max(first + 1, Math.floor(first * 1.01)));
      const pace = paceOf(traffic, Math.sqrt(first * next)) / servers;
      held += ((next - first) * (servers / fleet) * pace * roundS) / (1 + pace * roundS);
      first = next;
    }
    return held;
  };
  if ((traffic.keys * servers) / fleet <= capacity) {
    return Number.POSITIVE_INFINITY;
  }
  let [least, most] = [0, 1e9];
  for (let step = 0; step < 100; step++) {
    const middle = (least + most) / 2;
    if (heldAfter(middle) < capacity) {
      least = middle;
    } else {
      most = middle;
    }
  }
  return least;
}
