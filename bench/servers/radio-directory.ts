// The radio directory, which Quintet calls once per query: the sandbox's stand-in, in its own process. It sorts its stations when an order
// is first requested, which takes long, so this is done first.
import { systemClock as clock } from "../../src/runtime/clock.ts";
import { startRadioStandIns } from "../../src/sandbox/stand-ins/radio/mirrors.ts";
import { ready } from "../ready.ts";

// Those that bench/go/load requests.
const ORDERS = ["name", "votes", "clickcount", "bitrate", "clicktrend"];

const [mirror] = await startRadioStandIns({ clock, count: 1 });
for (const order of ORDERS) {
  const response = await fetch(`${mirror?.origin}/json/stations/search?order=${order}&limit=1`);
  await response.arrayBuffer();
}
ready({ port: Number(new URL(mirror?.origin ?? "").port) });
