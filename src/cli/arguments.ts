// Parses arguments and options. A malformed value is a usage error: the exit code is 2.

import { nearestName } from "@quintet/transcoding";
import { Argument, InvalidArgumentError, Option } from "commander";
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";

const PORT_MAX = 65_535;

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function parseService(text: string): ServiceName {
  const found = SERVICE_NAMES.find((name) => name === text);
  if (found === undefined) {
    const nearest = nearestName(text, SERVICE_NAMES);
    throw new InvalidArgumentError(
      `${nearest === undefined ? "" : `Did you mean ${nearest}? `}The services are ${SERVICE_NAMES.join(", ")}.`,
    );
  }
  return found;
}

/** The argument that names a service. Shells complete its choices, and the help lists them. */
export const serviceArgument = (): Argument =>
  new Argument("<service>", "the service").choices(SERVICE_NAMES).argParser(parseService);

export const serviceOption = (description: string): Option =>
  new Option("--service <name>", description).choices(SERVICE_NAMES).argParser(parseService);

/** Some of the services, separated by commas. */
export function parseServices(text: string): ServiceName[] {
  return text.split(",").map((name) => parseService(name.trim()));
}

/** A list, separated by commas; empty for `all`. */
export const parseEntries = (text: string): readonly string[] =>
  text === "all" ? [] : text.split(",").map((entry) => entry.trim());

/** A limit; 0 for `none`. Whether the number is within bounds is checked later. */
export function parseLimit(text: string): number {
  if (text !== "none" && !/^\d{1,10}$/.test(text)) {
    throw new InvalidArgumentError("It must be a whole number, or none.");
  }
  return text === "none" ? 0 : Number(text);
}

/** A port on this machine; 0 for any free one. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= PORT_MAX)) {
    throw new InvalidArgumentError(`A port is a whole number from 0 to ${PORT_MAX}; 0 picks a free one.`);
  }
  return port;
}

/** Reads a whole number within bounds. */
export const parseCount =
  (min: number, max: number) =>
  (text: string): number => {
    const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(count >= min && count <= max)) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return count;
  };

/** The last four characters of a key. */
export function parseLastFour(text: string): string {
  if (!/^[0-9A-Za-z]{4}$/.test(text)) {
    throw new InvalidArgumentError("Give the last four characters of the key, such as wxyz.");
  }
  return text;
}

/** A duration such as `30d`, in milliseconds. */
export function parseDuration(text: string): number {
  const durationMs = durationOf(text);
  if (durationMs === undefined) {
    throw new InvalidArgumentError("A duration is a whole number of minutes, hours, days or weeks, such as 30m, 24h, 7d or 2w.");
  }
  return durationMs;
}

/** A time: a duration from now, or an ISO 8601 date or time with its zone. In milliseconds since the epoch. */
export function parseTime(text: string, nowMs: number): number {
  const durationMs = durationOf(text);
  if (durationMs !== undefined) {
    return nowMs + durationMs;
  }
  const ms = isoMs(text);
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError("Give a duration from now, such as 30d, or a time, such as 2027-01-31 or 2027-01-31T12:00Z.");
  }
  return ms;
}

/** A time in the past: a duration before now, or an ISO 8601 date or time with its zone. In milliseconds since the epoch. */
export function parsePastTime(text: string, nowMs: number): number {
  const durationMs = durationOf(text);
  const ms = durationMs === undefined ? isoMs(text) : nowMs - durationMs;
  if (!(ms <= nowMs)) {
    throw new InvalidArgumentError(
      "Give a duration before now, such as 90m, or a time that is not in the future, such as 2027-01-31 or 2027-01-31T12:00Z.",
    );
  }
  return ms;
}

// A date alone means midnight UTC. A time without a zone would depend on where the command runs.
function isoMs(text: string): number {
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  return isDate ? Date.parse(text) : Number.NaN;
}

function durationOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit ?? ""];
  return ms === undefined ? undefined : Number(count) * ms;
}
