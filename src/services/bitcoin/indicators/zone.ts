// The bands of the four indicators, and the position of a value in them. The thresholds are published in the contract and included
// in every response.

import { ZoneName } from "../../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";

/** The band of a value. */
export interface Zone {
  readonly name: ZoneName;
  /** What is compared with the thresholds. */
  readonly value: number;
  readonly undervaluedBelow: number;
  readonly overvaluedAbove: number;
}

interface Thresholds {
  readonly undervaluedBelow: number;
  readonly overvaluedAbove: number;
}

/** What each indicator's value is compared with: ratios for mayer and puell, a percentile for nvt, price / model for s2f. */
export const ZONE_THRESHOLDS = {
  mayer: { undervaluedBelow: 1, overvaluedAbove: 2.4 },
  puell: { undervaluedBelow: 0.5, overvaluedAbove: 4 },
  nvt: { undervaluedBelow: 10, overvaluedAbove: 90 },
  s2f: { undervaluedBelow: 0.1, overvaluedAbove: 2.4 },
} as const satisfies Record<string, Thresholds>;

/** The band of a value. A value on a threshold is neutral. */
export function zoneOf(value: number, { undervaluedBelow, overvaluedAbove }: Thresholds): Zone {
  const name = value < undervaluedBelow ? ZoneName.UNDERVALUED : value > overvaluedAbove ? ZoneName.OVERVALUED : ZoneName.NEUTRAL;
  return { name, value, undervaluedBelow, overvaluedAbove };
}
