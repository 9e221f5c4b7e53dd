// The radio directory, which Quintet calls once per query: the sandbox's stand-in, in its own process.
import { systemClock as clock } from "../../src/runtime/clock.ts";
import { startRadioStandIns } from "../../src/sandbox/stand-ins/radio/mirrors.ts";
import { ready } from "../ready.ts";

const [mirror] = await startRadioStandIns({ clock, count: 1 });
ready({ port: Number(new URL(mirror?.origin ?? "").port) });
