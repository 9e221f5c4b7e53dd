// What the callers of a run ask for, in every protocol: calls that are answered, that are a caller's mistake, and that fail on our side.
// Each is made of the plainest bytes, so that thousands fit into a second.

/** One thing to ask for. */
export interface Ask {
  readonly rest: string;
  /** The RPC's path. */
  readonly rpc: string;
  readonly json: string;
  readonly proto: Uint8Array;
}

const SCORE = "/quintet.farkle.v1.FarkleService/Score";
const TOP_VOTED = "/quintet.radio.v1.RadioService/ListTopVoted";

/** A roll of one die. */
export const good: Ask = { rest: "/farkle/v1/score?dice=1", rpc: SCORE, json: '{"dice":[1]}', proto: Buffer.from([10, 1, 1]) };

/** A die with seven faces: the caller's mistake, which counts. */
export const mistake: Ask = { rest: "/farkle/v1/score?dice=7", rpc: SCORE, json: '{"dice":[7]}', proto: Buffer.from([10, 1, 7]) };

/** A question for an upstream that is dead, which is refunded. */
export const failing: Ask = { rest: "/radio/v1/topvote?limit=5", rpc: TOP_VOTED, json: '{"limit":5}', proto: Buffer.from([8, 5]) };

/** A mistake about the same service, which counts. */
export const radioMistake: Ask = {
  rest: "/radio/v1/topvote?limit=0",
  rpc: TOP_VOTED,
  json: '{"limit":0}',
  proto: Buffer.from([8, 0]),
};
