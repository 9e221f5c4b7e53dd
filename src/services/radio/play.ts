// A play reported to the directory. Pure.
import { knownText, knownUrl } from "./known-text.ts";

/** The directory's response to a report. */
export interface Play {
  /** The URL to which the directory followed the station's own; empty if it has not. */
  readonly resolved: string;
  readonly broken: boolean;
}

/** The path for reporting a play of a station. The UUID must be in lower case: the directory knows no other form. */
export const playPath = (uuid: string): string => `/json/url/${uuid}`;

/** Parses the response to a report. Throws an Error if it is invalid. */
export function parsePlay(json: unknown): Play {
  if (typeof json !== "object" || json === null || !("stationuuid" in json) || !("ok" in json)) {
    throw new Error("not a response to a report");
  }
  const { ok } = json;
  // The directory documents a string, but sends a boolean. Both are accepted.
  return { resolved: knownUrl("url" in json ? json.url : ""), broken: !(ok === true || knownText(ok) === "true") };
}
