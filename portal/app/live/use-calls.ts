// The account's calls while a page is open: those that arrive, and the latest ones from the log.
import { useCallback, useEffect, useReducer } from "preact/hooks";
import { UsageService } from "../../../gen/quintet/account/v1/usage_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { type CallList, type CallListChange, changed, NO_CALLS } from "./call-list.ts";
import { type StreamState, useCallStream } from "./use-call-stream.ts";

/**
 * A server remembers an account's calls only once a stream is open, so the stream misses a call that was made just before. The log has it
 * within about a second.
 */
const LOGGED_WITHIN_MS = 2000;

/** The calls and the state of the connection, which is `connecting` until the log has been read. */
export interface Calls {
  readonly list: CallList;
  readonly change: (change: CallListChange) => void;
  readonly stream: StreamState;
}

/** Watches the calls. At first, lists at most `earlierMax` calls from the log. */
export function useCalls(earlierMax: number): Calls {
  const [list, change] = useReducer(changed, NO_CALLS);
  const stream = useCallStream(useCallback(({ calls, leftOut }) => change({ kind: "arrived", calls, leftOut }), []));
  const { data, problem, refetch } = useQuery(
    UsageService.method.listCalls,
    { pageSize: earlierMax },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  useEffect(() => {
    change({ kind: "earlier", calls: data?.results ?? [] });
  }, [data]);
  useEffect(() => {
    if (stream.kind === "live") {
      const timer = setTimeout(refetch, LOGGED_WITHIN_MS);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [stream.kind]);
  // The stream counts as connecting until the log has been read, so that calls from the log never push others down.
  const isLogRead = data !== undefined || problem !== undefined;
  return { list, change, stream: isLogRead ? stream : { kind: "connecting" } };
}
