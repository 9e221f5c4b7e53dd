// The inputs of a run's calls, in every protocol: calls that succeed, calls with a caller's mistake, and calls that fail on our side. They
// are written as plain bytes, so that thousands of calls fit into a second.

/** The input of one call. */
export interface CallInput {
  readonly rest: string;
  /** The RPC's path. */
  readonly rpc: string;
  readonly json: string;
  readonly proto: Uint8Array;
}

const SCORE = "/quintet.farkle.v1.FarkleService/Score";
const TOP_VOTED = "/quintet.radio.v1.RadioService/ListTopVotedStations";

/** A roll of one die. */
export const good: CallInput = {
  rest: "/farkle/v1/score?dice=1",
  rpc: SCORE,
  json: '{"dice":[1]}',
  proto: Buffer.from([10, 1, 1]),
};

/** A die with seven faces: the caller's mistake, which counts. */
export const mistake: CallInput = {
  rest: "/farkle/v1/score?dice=7",
  rpc: SCORE,
  json: '{"dice":[7]}',
  proto: Buffer.from([10, 1, 7]),
};

/** A call to an upstream that is down, which is refunded. */
export const failing: CallInput = {
  rest: "/radio/v1/topvote?limit=5",
  rpc: TOP_VOTED,
  json: '{"limit":5}',
  proto: Buffer.from([8, 5]),
};

/** A mistake about the same service, which counts. */
export const radioMistake: CallInput = {
  rest: "/radio/v1/topvote?limit=0",
  rpc: TOP_VOTED,
  json: '{"limit":0}',
  proto: Buffer.from([8, 0]),
};
