// Watches the account's calls while a page is open, and reconnects when the connection is lost.
import { Code, ConnectError } from "@connectrpc/connect";
import { useEffect, useState } from "preact/hooks";
import { UsageService, type WatchCallsResponse } from "../../../gen/quintet/account/v1/usage_pb.js";
import { useApi } from "../../api/api.ts";
import { callStream } from "../../api/binary-transport.ts";
import { pause } from "../../api/pause.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";

/** The state of the connection. */
export interface StreamState {
  readonly kind: "connecting" | "live" | "lost";
  /** Why it was lost. */
  readonly problem?: ApiProblem;
  /** How many servers share the calls; the page sees only one server's. Undefined until the first message, which has the recent calls. */
  readonly servers?: number | undefined;
}

/** How many calls the server remembers. They are requested on every connection, because some may have been made in the meantime. */
const BACKLOG = 100;
const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 15_000;
/** The server sends something every 15 seconds, so a connection that is silent for longer is dead. */
const SILENCE_MS_MAX = 40_000;

/** Calls `onMessage` with each message. */
export function useCallStream(onMessage: (message: WatchCallsResponse) => void): StreamState {
  const { transport, onProblem } = useApi();
  const [state, setState] = useState<StreamState>({ kind: "connecting" });
  useEffect(() => {
    const leaving = new AbortController();
    let pauseMs = FIRST_PAUSE_MS;

    const read = async (): Promise<void> => {
      const silence = new AbortController();
      let timer = 0;
      const noteMessage = (): void => {
        clearTimeout(timer);
        timer = window.setTimeout(() => silence.abort(new ConnectError("silent", Code.Unavailable)), SILENCE_MS_MAX);
      };
      noteMessage();
      try {
        const signal = AbortSignal.any([leaving.signal, silence.signal]);
        for await (const message of callStream(transport, UsageService.method.watchCalls, { backlog: BACKLOG }, signal)) {
          noteMessage();
          pauseMs = FIRST_PAUSE_MS;
          if (message.servers !== undefined) {
            setState({ kind: "live", servers: message.servers });
          }
          onMessage(message);
        }
      } finally {
        clearTimeout(timer);
      }
    };

    const watch = async (): Promise<void> => {
      while (!leaving.signal.aborted) {
        try {
          await read();
        } catch (error) {
          if (leaving.signal.aborted) {
            return;
          }
          const problem = problemOf(error);
          onProblem(problem);
          if (problem.isSessionLost) {
            return;
          }
          setState(({ servers }) => ({ kind: "lost", problem, servers }));
          await pause(Math.max(pauseMs, problem.retryAfterMs ?? 0), leaving.signal);
          pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
        }
      }
    };
    void watch();
    return () => leaving.abort();
  }, [transport, onProblem, onMessage]);
  return state;
}
