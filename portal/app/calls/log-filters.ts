// Which calls in the log the page shows, according to its URL.
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { CallResult } from "../../../gen/quintet/account/v1/account_pb.js";

type Query = Readonly<Record<string, string | undefined>>;

/** How the calls ended: value → label. */
export const RESULTS = [
  ["", "All"],
  ["succeeded", "Succeeded"],
  ["failed", "Failed"],
  ["refused", "Refused"],
] as const;

const RESULT_VALUES: Readonly<Record<string, CallResult>> = {
  succeeded: CallResult.SUCCEEDED,
  failed: CallResult.FAILED,
  refused: CallResult.REFUSED,
};

/** How many calls a page has. */
const PAGE_CALLS = 50;

/** The filters. An empty string means all. */
export interface LogFilters {
  readonly service: string;
  readonly result: string;
  /** `OK` or a reason. */
  readonly outcome: string;
  /** The id of a key. */
  readonly key: string;
  /** A request id. */
  readonly request: string;
  /** Only calls before this time in the user's time zone: `2026-11-21T14:30`. */
  readonly until: string;
  /** The token of the page, from the server. */
  readonly page: string;
}

/** Reads the filters from the URL's query. */
export const logFiltersOf = (query: Query): LogFilters => ({
  service: query.service ?? "",
  result: query.result !== undefined && query.result in RESULT_VALUES ? query.result : "",
  outcome: query.outcome ?? "",
  key: query.key ?? "",
  request: query.request ?? "",
  until: timeOf(query.until) === undefined ? "" : (query.until ?? ""),
  page: query.page ?? "",
});

/** The URL of the page with these filters. */
export function logPath(filters: LogFilters): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== ""));
  return query.size === 0 ? "/app/calls" : `/app/calls?${query}`;
}

/** The filters as the server expects them. */
export function logRequestOf({ service, result, outcome, key, request, until, page }: LogFilters) {
  const time = timeOf(until);
  return {
    pageSize: PAGE_CALLS,
    pageToken: page,
    requestId: request.trim(),
    service,
    outcome: outcome.trim().toUpperCase(),
    ...(key !== "" && { keyId: key }),
    ...(result !== "" && { result: RESULT_VALUES[result] as CallResult }),
    ...(time !== undefined && { until: time }),
  };
}

function timeOf(text = ""): Timestamp | undefined {
  const time = new Date(text);
  return text === "" || Number.isNaN(time.getTime()) ? undefined : timestampFromDate(time);
}
