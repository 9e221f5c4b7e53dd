// The stand-ins of the radio service: the directory's mirrors, and the streams of its stations.

import type { IncomingMessage } from "node:http";
import { LruMap } from "@quintet/guard";
import type { Clock } from "../../../runtime/clock.ts";
import { pictureOf } from "../picture.ts";
import type { StandIn, StandInContext, StandIns } from "../stand-in.ts";
import { type StandInResponse, startStandIn } from "../stand-in-server.ts";
import { directoryHandler } from "./directory.ts";
import { loopOf } from "./loop.ts";
import { type RawStation, sandboxStations } from "./stations.ts";

interface RadioStandInsOptions {
  readonly clock: Clock;
  /** The origin of the streams and pictures of the sandbox's stations. Default: an origin that does not exist. */
  readonly streams?: string;
  /** How many mirrors. Default 3; they are called `radio-1`, `radio-2` and so on. */
  readonly count?: number;
  /** Default: the sandbox's. */
  readonly stations?: readonly RawStation[];
}

/** The radio directory: several mirrors, each a separate server, with the same data. */
export async function startRadioStandIns({
  clock,
  streams = "https://streams.example",
  count = 3,
  stations = sandboxStations(streams),
}: RadioStandInsOptions): Promise<readonly StandIn[]> {
  const handle = directoryHandler(stations);
  return Promise.all(Array.from({ length: count }, (_, index) => startStandIn({ name: `radio-${index + 1}`, handle, clock })));
}

/** A loop is several hundred kilobytes: only those being listened to are kept. */
const LOOPS_HELD_MAX = 4;

/** Starts the stand-in on a free port of 127.0.0.1: `/live/NAME`, its playlist `/listen/NAME.pls`, and `/pictures/NAME.svg`. */
export function startStreamsStandIn({ clock }: { readonly clock: Clock }): Promise<StandIn> {
  const loops = new LruMap<string, Uint8Array>(LOOPS_HELD_MAX);
  const loop = (name: string): Uint8Array => {
    const known = loops.get(name) ?? loopOf(name);
    loops.set(name, known);
    return known;
  };
  return startStandIn({
    name: "streams",
    clock,
    handle({ pathname, origin }, request) {
      const [, kind, name = ""] = /^\/(live|listen|pictures)\/([a-z0-9-]{1,80})(?:\.pls|\.svg)?$/.exec(pathname) ?? [];
      switch (kind) {
        case "live":
          return streamed(loop(name), name, request);
        case "listen":
          return wholeFile(
            "audio/x-scpls",
            `[playlist]\nNumberOfEntries=1\nFile1=${origin}/live/${name}\nTitle1=${name}\nLength1=-1\nVersion=2\n`,
          );
        case "pictures":
          return wholeFile("image/svg+xml", pictureOf(name));
        default:
          return { status: 404, headers: { ...ANY_PAGE, "content-type": "text/plain" }, body: "404: Not Found" };
      }
    },
  });
}

// As on most stream servers, any page may play and read the streams.
const ANY_PAGE = { "access-control-allow-origin": "*" };

const wholeFile = (contentType: string, body: string): StandInResponse => ({
  status: 200,
  headers: { ...ANY_PAGE, "content-type": contentType, "cache-control": "max-age=3600" },
  body,
});

// Browsers request ranges: https://www.rfc-editor.org/rfc/rfc9110#section-14
function streamed(bytes: Uint8Array, name: string, { headers }: IncomingMessage): StandInResponse {
  const { length } = bytes;
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
  const common = {
    ...ANY_PAGE,
    "content-type": "audio/wav",
    "accept-ranges": "bytes",
    "cache-control": "no-store",
    "icy-name": name,
  };
  if (from === "" && to === "") {
    return { status: 200, headers: common, body: bytes };
  }
  const first = from === "" ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === "" || to === "" ? length - 1 : Math.min(Number(to), length - 1);
  return first > last
    ? { status: 416, headers: { ...common, "content-range": `bytes */${length}` }, body: "" }
    : {
        status: 206,
        headers: { ...common, "content-range": `bytes ${first}-${last}/${length}` },
        body: bytes.subarray(first, last + 1),
      };
}

export async function startStandIns({ clock }: StandInContext): Promise<StandIns> {
  const streams = await startStreamsStandIn({ clock });
  const mirrors = await startRadioStandIns({ clock, streams: streams.origin });
  return {
    standIns: [...mirrors, streams],
    variables: {
      // If a person makes a mirror fail, they see the effect on the next call instead of a cached response.
      QUINTET_RADIO_FRESH_MS: "0",
      QUINTET_RADIO_MIRRORS: mirrors.map(({ origin }) => origin).join(","),
    },
  };
}
