// What the package exports. README.md explains each.
export { type AccessRefusal, type KeyRecord, type Plan, type Subscription, subscriptionOf, unusable } from "./access.ts";
export { type Clock, systemClock } from "./clock.ts";
export { type FetchOptions, guardFetch } from "./fetch-guard.ts";
export { type Admitted, type Call, type Caller, Guard, type GuardOptions, type Refused } from "./guard.ts";
export { guardInterceptor } from "./interceptor.ts";
export {
  type GeneratedKey,
  hashSecret,
  KEY_LENGTH,
  KeyFormat,
  type ParsedKey,
  type RandomSource,
  randomBase62,
} from "./key-format.ts";
export { decimal, type LimitHeaders, type LimitState, limitHeaders } from "./limits.ts";
export { LruMap } from "./lru-map.ts";
export { NetworkThrottle } from "./network-throttle.ts";
export { networksOf } from "./networks.ts";
export { guardNode, type NodeGuard, type NodeOptions } from "./node-guard.ts";
export { REFUSAL_STATUS, type Refusal, refusalError, refusalMessage } from "./refusal.ts";
export type { ServerOptions } from "./server-options.ts";
export { type NewKey, SqliteStore } from "./sqlite-store.ts";
export type { Charge, Charged, GuardStore } from "./store.ts";
export { type Attempt, type RateLimit, Throttle, takeAll } from "./throttle.ts";
export {
  aheadAfterEmpty,
  aheadAt,
  type BucketSize,
  bucketSize,
  countTokens,
  REFUSED,
  takeTokens,
  tokensAhead,
  tokensLeft,
  untilNextToken,
  untilOneToken,
} from "./token-bucket.ts";
