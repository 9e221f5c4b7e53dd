// The radio directory that Quintet asks once a question: the sandbox's stand-in, in a process of its own.
import { systemClock as clock } from "../../src/runtime/clock.ts";
import { startRadioStandIns } from "../../src/services/radio/stand-in/mirrors.ts";
import { ready } from "../ready.ts";

const [mirror] = await startRadioStandIns({ clock, count: 1 });
ready({ port: Number(new URL(mirror?.origin ?? "").port) });
