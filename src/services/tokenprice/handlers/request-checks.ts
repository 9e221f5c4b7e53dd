// Checks requests beyond the rules in the proto: the form of tokens, the plan's batch size, and whatever depends on the time.
// Throws Failures that name each wrong field.
import type { GetPriceChartsRequest } from "../../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { Failure } from "../../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../../problem/problem.ts";
import { isoTime } from "../../../runtime/iso-time.ts";
import type { ChartQuery } from "../source/chart-query.ts";
import { readTokens, type Token } from "../token-id.ts";

// Parses a period such as `1h`: a whole number and a unit. Pure.
const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

const PERIOD_DEFAULT = "1d";

/** A period's length in seconds; undefined if it is not a number from 1 to 999 and a unit. */
export function periodSeconds(period: string): number | undefined {
  const [, number, unit = ""] = /^([1-9]\d{0,2})([mhdw])$/.exec(period) ?? [];
  const seconds = UNIT_SECONDS[unit];
  return seconds === undefined ? undefined : Number(number) * seconds;
}

/** How far a caller's clock may be ahead of ours. */
const AHEAD_SECONDS_MAX = 60;
const EARLIEST_SECONDS = Date.UTC(2009, 0, 1) / 1000;
const SPAN_DEFAULT = 30;
/** A hundred tokens, the largest batch of any plan, with 50 points each: ten requests to the source. */
const POINTS_MAX = 5000;

/** The most violations in a response. */
const VIOLATIONS_MAX = 20;

/** Collects violations, to throw them all at once. */
export interface Checks {
  readonly violations: Violation[];
  readonly nowSeconds: number;
}

export const beginChecks = (nowSeconds: number): Checks => ({ violations: [], nowSeconds });

/** Throws INVALID_ARGUMENT with the first violations, if there are any. */
export function finishChecks({ violations }: Checks): void {
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations.slice(0, VIOLATIONS_MAX)));
  }
}

/** The tokens, each spelling once. */
export function checkTokens(checks: Checks, texts: readonly string[]): readonly Token[] {
  const { tokens, violations } = readTokens(texts);
  checks.violations.push(...violations);
  return tokens;
}

/** A time in the past, in Unix seconds. A time slightly in the future counts as now. */
export function checkTime(checks: Checks, field: string, seconds: number): number {
  if (seconds > checks.nowSeconds + AHEAD_SECONDS_MAX) {
    checks.violations.push({
      field,
      description: `must not be in the future; it is now ${isoTime(checks.nowSeconds * 1000)} (${checks.nowSeconds})`,
    });
  }
  return Math.min(seconds, checks.nowSeconds);
}

/** A period's length in seconds, at least that of `shortest`. */
export function checkPeriod(checks: Checks, period: string, shortest: "5m" | "15m"): number {
  const seconds = periodSeconds(period === "" ? PERIOD_DEFAULT : period);
  if (seconds === undefined || seconds < (periodSeconds(shortest) ?? 0)) {
    const description = `must be a number from 1 to 999 followed by m, h, d or w, such as 1h, and at least ${shortest}`;
    checks.violations.push({ field: "period", description });
  }
  return seconds ?? 0;
}

/** The start of a span that ends at `endSeconds`. */
export function checkSpanStart(checks: Checks, endSeconds: number, seconds: number): number {
  const startSeconds = endSeconds - seconds;
  if (startSeconds < EARLIEST_SECONDS) {
    checks.violations.push({ field: "period", description: "must not begin before 2009-01-01" });
  }
  return startSeconds;
}

/** Which points of a series are requested, for `tokenCount` tokens. */
export function checkChart(
  checks: Checks,
  { start, end, span = SPAN_DEFAULT, period, match }: Pick<GetPriceChartsRequest, "start" | "end" | "span" | "period" | "match">,
  tokenCount: number,
): ChartQuery {
  if (start !== undefined && end !== undefined) {
    checks.violations.push({ field: "end", description: "must not be given together with start" });
  }
  if (tokenCount * span > POINTS_MAX) {
    const description = `must be at most ${Math.floor(POINTS_MAX / tokenCount)} for ${tokenCount} tokens: tokens times span may be at most ${POINTS_MAX}`;
    checks.violations.push({ field: "span", description });
  }
  const edge = start === undefined ? "end" : "start";
  const edgeSeconds = checkTime(checks, edge, start ?? end ?? minuteOf(checks.nowSeconds));
  return { edge, edgeSeconds, span, periodSeconds: checkPeriod(checks, period, "5m"), nowSeconds: checks.nowSeconds, match };
}

/** The start of a time's minute. Used for the current time, so that calls within the same minute send the same request. */
export const minuteOf = (seconds: number): number => seconds - (seconds % 60);

/** Throws PLAN_LIMIT if there are more tokens than the plan allows per call. */
export function checkPlan(tokens: readonly Token[], tokensPerCallMax: number): void {
  const count = new Set(tokens.map(({ id }) => id)).size;
  if (count > tokensPerCallMax) {
    throw new Failure({
      reason: "PLAN_LIMIT",
      message: `Your plan includes up to ${tokensPerCallMax} ${tokensPerCallMax === 1 ? "token" : "tokens"} in one call, and you requested ${count}. Request fewer at a time, or choose a larger plan: GET /account/v1/plans?service=token-price lists them.`,
    });
  }
}
