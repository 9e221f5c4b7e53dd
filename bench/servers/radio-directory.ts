// The radio directory, which Quintet calls once per query: the sandbox's stand-in, in its own process, with as many stations as the real
// one. It sorts them when an order is first requested, which takes long, so this is done first.
import { systemClock as clock } from "../../src/runtime/clock.ts";
import { startRadioStandIns } from "../../src/sandbox/stand-ins/radio/stand-ins.ts";
import { sandboxStations } from "../../src/sandbox/stand-ins/radio/stations.ts";
import { ready } from "../ready.ts";

// Those that bench/go/load requests.
const ORDERS = ["name", "votes", "clickcount", "bitrate", "clicktrend"];
const STATIONS = 52_000;

const own = sandboxStations("https://streams.example");
const stations = Array.from({ length: STATIONS }, (_, index) => {
  const station = own[index % own.length] as (typeof own)[number];
  return { ...station, stationuuid: `${String(index).padStart(8, "0")}${station.stationuuid.slice(8)}` };
});
const [mirror] = await startRadioStandIns({ clock, count: 1, stations });
for (const order of ORDERS) {
  const response = await fetch(`${mirror?.origin}/json/stations/search?order=${order}&limit=1`);
  await response.arrayBuffer();
}
ready({ port: Number(new URL(mirror?.origin ?? "").port) });
