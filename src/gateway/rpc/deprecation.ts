// Tells callers that a method will be removed, by the options in its proto. docs/versions.md is the policy.
import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { deprecation } from "../../../gen/quintet/options/v1/options_pb.js";
import type { ResponseHeaders } from "../../http/headers.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MONTHS_MIN = 12;

/**
 * The headers of every response to the method; none if it is not deprecated. Throws an Error that names the method if its options violate
 * the policy. https://www.rfc-editor.org/rfc/rfc9745 https://www.rfc-editor.org/rfc/rfc8594
 */
export function deprecationHeaders(method: DescMethod): ResponseHeaders {
  const isMarked = hasOption(method, deprecation);
  if (isMarked !== method.deprecated) {
    throw new Error(`${method.toString()}: deprecated and (quintet.options.v1.deprecation) must be set together`);
  }
  if (!isMarked) {
    return {};
  }
  const { since, sunset } = getOption(method, deprecation);
  const [sinceMs, sunsetMs] = [dayMs(since), dayMs(sunset)];
  if (sinceMs === undefined || sunsetMs === undefined) {
    throw new Error(`${method.toString()}: since and sunset must be days such as 2027-01-01`);
  }
  const earliest = new Date(sinceMs);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS_MIN);
  if (sunsetMs < earliest.getTime()) {
    throw new Error(`${method.toString()}: sunset must be at least ${MONTHS_MIN} months after since`);
  }
  return { deprecation: `@${sinceMs / 1000}`, sunset: new Date(sunsetMs).toUTCString() };
}

function dayMs(day: string): number | undefined {
  const ms = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
