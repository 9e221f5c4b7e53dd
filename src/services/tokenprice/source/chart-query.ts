// Which part of a price series is requested.

import type { PriceMatch } from "../../../../gen/quintet/tokenprice/v1/token_price_pb.js";

/** Which points of a series are requested. */
export interface ChartQuery {
  readonly edge: "start" | "end";
  /** Where the series starts or ends, in Unix seconds. */
  readonly edgeSeconds: number;
  /** How many points. */
  readonly span: number;
  readonly periodSeconds: number;
  /** The time, in Unix seconds: no point is later. */
  readonly nowSeconds: number;
  readonly match: PriceMatch;
}
