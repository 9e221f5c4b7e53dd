// Which calls in the log the page shows, according to its URL.
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DATA_METHODS } from "../../../gen/data-methods.ts";
import { CallResult } from "../../../gen/quintet/account/v1/usage_pb.js";

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
  /** The full name of a method: `quintet.farkle.v1.FarkleService/Score`. */
  readonly method: string;
  readonly result: string;
  /** `OK` or a reason. */
  readonly outcome: string;
  /** The id of a key. */
  readonly key: string;
  /** A request id. */
  readonly request: string;
  /** Only calls at this time in the user's time zone or later: `2026-11-21T14:30`. */
  readonly since: string;
  /** Only calls before this time in the user's time zone: `2026-11-21T14:30`. */
  readonly until: string;
  /** The token of the page, from the server. */
  readonly page: string;
}

/** Reads the filters from the URL's query. */
export const logFiltersOf = (query: Query): LogFilters => ({
  service: query.service ?? "",
  method: query.method ?? "",
  result: query.result !== undefined && query.result in RESULT_VALUES ? query.result : "",
  outcome: query.outcome ?? "",
  key: query.key ?? "",
  request: query.request ?? "",
  since: timeTextOf(query.since),
  until: timeTextOf(query.until),
  page: query.page ?? "",
});

/** The URL of the page with these filters. */
export function logPath(filters: LogFilters): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== ""));
  return query.size === 0 ? "/app/calls" : `/app/calls?${query}`;
}

/** The filters as the server expects them. */
export function logRequestOf({ service, method, result, outcome, key, request, since, until, page }: LogFilters) {
  const [from, to] = [timeOf(since), timeOf(until)];
  return {
    pageSize: PAGE_CALLS,
    pageToken: page,
    requestId: request.trim(),
    ...{ service, method },
    outcome: outcome.trim().toUpperCase(),
    ...(key !== "" && { keyId: key }),
    ...(result !== "" && { result: RESULT_VALUES[result] as CallResult }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
  };
}

/** The methods that can be chosen, full name → label. Of all services if `service` is empty, and then labelled as in the list of calls. */
export const methodOptions = (service: string): readonly (readonly [value: string, label: string])[] =>
  Object.entries(DATA_METHODS)
    .filter(([name]) => service === "" || name === service)
    .flatMap(([name, { service: fullName, methods }]) =>
      methods.map((method) => [`${fullName}/${method}`, service === "" ? `${name}/${method}` : method] as const),
    );

const timeTextOf = (text = ""): string => (timeOf(text) === undefined ? "" : text);

function timeOf(text: string): Timestamp | undefined {
  const time = new Date(text);
  return text === "" || Number.isNaN(time.getTime()) ? undefined : timestampFromDate(time);
}
