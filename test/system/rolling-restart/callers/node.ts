// The callers that need nothing but Node and curl.
import type { Caller } from "../caller.ts";
import { curl } from "./curl.ts";
import { grpcJs } from "./grpc-js.ts";
import { undiciCallers } from "./undici.ts";

/** All of them. */
export const NODE_CALLERS: readonly Caller[] = [grpcJs, ...undiciCallers, curl];
