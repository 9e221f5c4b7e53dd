// The calls on the page: newest first, limited in number, plus those that arrived while the list was paused. Pure.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Call, CallProtocol } from "../../../gen/quintet/account/v1/usage_pb.js";

/** The most calls that are kept. */
export const CALLS_MAX = 500;

/** The list and what goes with it. */
export interface CallList {
  /** Newest first. A stream is listed at its beginning, and updated once it has ended. */
  readonly calls: readonly Call[];
  /** The calls that arrived while the list is paused, newest first; undefined if it is not paused. */
  readonly waiting: readonly Call[] | undefined;
  /** How many calls the server has left out. */
  readonly leftOut: number;
  /** Whether the user has cleared the list. Calls from the log are not added to it then. */
  readonly isCleared: boolean;
}

/** Before the first call. */
export const NO_CALLS: CallList = { calls: [], waiting: undefined, leftOut: 0, isCleared: false };

export type CallListChange =
  /** Calls that arrived, in the order of time. */
  | { readonly kind: "arrived"; readonly calls: readonly Call[]; readonly leftOut: number }
  /** Calls from the log, newest first. Those that are already listed do not change. */
  | { readonly kind: "earlier"; readonly calls: readonly Call[] }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "clear" };

/** The list after a change. */
export function changed(list: CallList, change: CallListChange): CallList {
  switch (change.kind) {
    case "arrived": {
      const leftOut = list.leftOut + change.leftOut;
      return list.waiting === undefined
        ? { ...list, leftOut, calls: added(list.calls, change.calls) }
        : { ...list, leftOut, waiting: added(list.waiting, change.calls) };
    }
    case "earlier":
      return list.isCleared ? list : { ...list, calls: merged(list.calls, change.calls) };
    case "pause":
      return { ...list, waiting: list.waiting ?? [] };
    case "resume":
      return { ...list, calls: added(list.calls, (list.waiting ?? []).toReversed()), waiting: undefined };
    case "clear":
      return { ...NO_CALLS, waiting: list.waiting && [], isCleared: true };
  }
}

// A call that is reported again, such as a stream at its end or after a reconnection, keeps its place.
function added(calls: readonly Call[], newest: readonly Call[]): readonly Call[] {
  const byId = new Map(calls.toReversed().map((call) => [call.id, call]));
  for (const call of newest) {
    byId.set(call.id, call);
  }
  return [...byId.values()].toReversed().slice(0, CALLS_MAX);
}

// A call from the log that the stream missed, because it was made just before the stream started, is inserted by its time.
function merged(calls: readonly Call[], logged: readonly Call[]): readonly Call[] {
  const listed = new Set(calls.map(({ id }) => id));
  const missed = logged.filter(({ id }) => !listed.has(id));
  return missed.length === 0 ? calls : [...calls, ...missed].toSorted((a, b) => startMs(b) - startMs(a)).slice(0, CALLS_MAX);
}

const startMs = ({ startedAt }: Call): number => (startedAt === undefined ? 0 : timestampMs(startedAt));

/** The protocols by their value in the URL, with their names. */
export const PROTOCOLS: Readonly<Record<string, readonly [protocol: CallProtocol, label: string]>> = {
  rest: [CallProtocol.REST, "REST"],
  connect: [CallProtocol.CONNECT, "Connect"],
  grpc: [CallProtocol.GRPC, "gRPC"],
  "grpc-web": [CallProtocol.GRPC_WEB, "gRPC-Web"],
  mcp: [CallProtocol.MCP, "MCP"],
};

export const protocolName = (protocol: CallProtocol): string =>
  Object.values(PROTOCOLS).find(([one]) => one === protocol)?.[1] ?? "unknown";

/** What the user filters by; empty for all. */
export interface CallFilter {
  readonly service: string;
  /** As in the URL. */
  readonly protocol: string;
  readonly onlyRefused: boolean;
  /** A substring of the method, the outcome, the request id or the key's last characters, in upper or lower case. */
  readonly text: string;
}

/** Whether a call matches the filter. */
export function matchesFilter(call: Call, { service, protocol, onlyRefused, text }: CallFilter): boolean {
  const wanted = text.trim().toLowerCase();
  return (
    (service === "" || call.service === service) &&
    (protocol === "" || call.protocol === PROTOCOLS[protocol]?.[0]) &&
    (!onlyRefused || call.refused) &&
    (wanted === "" ||
      [call.method, call.outcome, call.code, call.requestId, call.keyLastFour].some((one) => one.toLowerCase().includes(wanted)))
  );
}
