// How busy a server is, from two states of it. Pure.
import type { GetServerStateResponse } from "../../../gen/quintet/operator/v1/operator_pb.js";

type State = Pick<GetServerStateResponse, "cpuSeconds" | "calls" | "startedAt">;

/** A state, and when it was read, in milliseconds since the epoch. */
export interface StateAt {
  readonly state: State;
  readonly atMs: number;
}

/** The load between two times. */
export interface Load {
  readonly callsPerSecond: number;
  /** How many cores were busy. */
  readonly cores: number;
}

/** The load since `before`; since the server's start if `before` is missing, or is from another server or an earlier run. */
export function loadOf({ state, atMs }: StateAt, before: StateAt | undefined): Load {
  const startedMs = Number(state.startedAt?.seconds ?? 0n) * 1000;
  const isSame = before !== undefined && before.atMs < atMs && Number(before.state.startedAt?.seconds ?? 0n) * 1000 === startedMs;
  const [calls, cpuSeconds, sinceMs] = isSame
    ? [Number(before.state.calls), before.state.cpuSeconds, before.atMs]
    : [0, 0, startedMs];
  const seconds = Math.max(1, (atMs - sinceMs) / 1000);
  return {
    callsPerSecond: Math.max(0, Number(state.calls) - calls) / seconds,
    cores: Math.max(0, state.cpuSeconds - cpuSeconds) / seconds,
  };
}
