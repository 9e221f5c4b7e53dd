// The radio directory of the sandbox: several mirrors, each a server of its own, over the same data.
import type { Clock } from "../../../runtime/clock.ts";
import type { StandIn } from "../../../upstream/stand-in/stand-in.ts";
import { startStandIn } from "../../../upstream/stand-in/stand-in-server.ts";
import { createCatalogue } from "./catalogue.ts";
import { directoryHandler } from "./directory.ts";
import { inventStations, type StationList } from "./invented-stations.ts";

/** What the mirrors show. */
export interface RadioStandInsOptions {
  readonly clock: Clock;
  /** Where the streams and pictures of the invented stations are. Default: an origin that nobody serves. */
  readonly streams?: string;
  /** How many mirrors. Default 3; they are called `radio-1`, `radio-2` and so on. */
  readonly count?: number;
  /** Default: 52,000 invented stations, always the same, of which about one in a hundred is broken. */
  readonly stations?: StationList;
}

/** Starts the mirrors. */
export async function startRadioStandIns({
  clock,
  streams = "https://streams.example",
  count = 3,
  stations = inventStations(1, 52_000, streams),
}: RadioStandInsOptions): Promise<readonly StandIn[]> {
  const handle = directoryHandler(createCatalogue(stations));
  return Promise.all(Array.from({ length: count }, (_, index) => startStandIn({ name: `radio-${index + 1}`, handle, clock })));
}
