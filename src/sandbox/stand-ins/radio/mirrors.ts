// The radio directory of the sandbox: several mirrors, each a separate server, with the same data.
import type { Clock } from "../../../runtime/clock.ts";
import type { StandIn } from "../stand-in.ts";
import { startStandIn } from "../stand-in-server.ts";
import { createCatalogue } from "./catalogue.ts";
import { directoryHandler } from "./directory.ts";
import { inventStations, type StationList } from "./invented-stations.ts";

interface RadioStandInsOptions {
  readonly clock: Clock;
  /** The origin of the streams and pictures of the invented stations. Default: an origin that does not exist. */
  readonly streams?: string;
  /** How many mirrors. Default 3; they are called `radio-1`, `radio-2` and so on. */
  readonly count?: number;
  /** Default: 52,000 invented stations, always the same. About one in a hundred is broken. */
  readonly stations?: StationList;
}

export async function startRadioStandIns({
  clock,
  streams = "https://streams.example",
  count = 3,
  stations = inventStations(1, 52_000, streams),
}: RadioStandInsOptions): Promise<readonly StandIn[]> {
  const handle = directoryHandler(createCatalogue(stations));
  return Promise.all(Array.from({ length: count }, (_, index) => startStandIn({ name: `radio-${index + 1}`, handle, clock })));
}
