// Makes calls for the page: gets a key, sends, passes on what arrives, and stops when asked or when the page is left.
import type { Registry } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import { ConsoleKeyError, isKeyFault } from "../../api/console-key.ts";
import { accountChanged } from "../../api/leave-account.ts";
import { consoleKeys } from "../../api/page-console-key.ts";
import { faultOf } from "../../api/reason.ts";
import { type CallState, startedCall } from "./call-state.ts";
import type { ConsoleMethod } from "./contract/contract.ts";
import type { ProtocolId } from "./wire/protocol.ts";
import type { WireRequest } from "./wire/request.ts";

interface Call {
  readonly method: ConsoleMethod;
  readonly protocol: ProtocolId;
  readonly request: WireRequest;
  readonly registry: Registry;
}

/** What the page can do with calls. */
export interface Caller {
  readonly call: CallState | undefined;
  /** Why there is no key to call with. */
  readonly keyProblem: ConsoleKeyError | undefined;
  readonly isRunning: boolean;
  /** Sends a call and resolves with its last state, or with undefined if there was no key. Stops a call that is still running. */
  send(call: Call): Promise<CallState | undefined>;
  stop(): void;
}

// A stream may bring messages faster than a page can be drawn.
const DRAW_INTERVAL_MS = 60;

export function useCall(): Caller {
  const [call, setCall] = useState<CallState>();
  const [keyProblem, setKeyProblem] = useState<ConsoleKeyError>();
  const [isRunning, setRunning] = useState(false);
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => {
    // The page does not wait for this script; a call that is made before it has arrived does.
    void loadRunCall().catch(() => {});
    return () => stopping.current?.abort();
  }, []);
  const send = async (wanted: Call): Promise<CallState | undefined> => {
    stopping.current?.abort();
    const controller = new AbortController();
    stopping.current = controller;
    setRunning(true);
    // The previous call's response must not be mistaken for this one's.
    setCall(undefined);
    setKeyProblem(undefined);
    try {
      return await sendWith(wanted, controller.signal, setCall);
    } catch (error) {
      if (!(error instanceof ConsoleKeyError)) {
        throw error;
      }
      if (faultOf(error.reason) === "account") {
        accountChanged();
      }
      setKeyProblem(error);
      return undefined;
    } finally {
      if (stopping.current === controller) {
        setRunning(false);
      }
    }
  };
  return { call, keyProblem, isRunning, send, stop: () => stopping.current?.abort() };
}

// The script that sends a call and reads its response.
const loadRunCall = () => import("./run-call.ts");

// The user cannot replace a key that was created here and no longer works, so the call is repeated with a new one. The first attempt cost
// nothing.
async function sendWith(wanted: Call, signal: AbortSignal, show: (state: CallState) => void): Promise<CallState> {
  const first = await sendOnce(wanted, signal, show);
  const needsNewKey = isKeyFault(first.failure?.reason) && consoleKeys.state.kind !== "own";
  const last = needsNewKey ? await sendOnce(wanted, signal, show) : first;
  show(last);
  return last;
}

async function sendOnce(wanted: Call, signal: AbortSignal, show: (state: CallState) => void): Promise<CallState> {
  const sender = await loadRunCall().catch(() => undefined);
  if (sender === undefined) {
    // The server cannot be reached. For a lost call, the page says so.
    return { ...startedCall(wanted.protocol, wanted.request), stage: "lost" };
  }
  const key = await consoleKeys.get();
  let latest: CallState | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const last = await sender.runCall({
    ...wanted,
    key,
    signal,
    fetch: (target, init) => fetch(target, init),
    nowMs: () => performance.now(),
    onChange(state) {
      latest = state;
      timer ??= setTimeout(() => {
        timer = undefined;
        show(latest ?? state);
      }, DRAW_INTERVAL_MS);
    },
  });
  clearTimeout(timer);
  if (isKeyFault(last.failure?.reason)) {
    consoleKeys.discard(key);
  }
  return last;
}
