// The methods for the call log.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type RateLimit, Throttle } from "@quintet/guard";
import { nearestName } from "@quintet/transcoding";
import { CallResult, type ListCallsRequest } from "../../../gen/quintet/account/v1/usage_pb.js";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../problem/problem.ts";
import { REASONS } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from "../../runtime/control-characters.ts";
import type { AdminStore } from "../../store/store.ts";
import { CALLS_KEPT_DAYS, type CallQuery } from "../../store/usage-records.ts";
import { tooManyCalls } from "../refusals.ts";
import { loggedCallMessage } from "./call-messages.ts";
import type { AccountHandlers } from "./handlers.ts";
import { pageEndOf, pageTokenAfter } from "./page-token.ts";

const PAGE_SIZE = 50;
const LISTS_PER_ACCOUNT: RateLimit = { burst: 20, everyMs: 500 };
const OUTCOMES: readonly string[] = ["OK", ...Object.keys(REASONS)];

// The proto's rules do not allow the first value.
const RESULTS: Readonly<Record<CallResult, "succeeded" | "failed" | "refused" | undefined>> = {
  [CallResult.UNSPECIFIED]: undefined,
  [CallResult.SUCCEEDED]: "succeeded",
  [CallResult.FAILED]: "failed",
  [CallResult.REFUSED]: "refused",
};

interface CallLogOptions {
  readonly store: AdminStore;
  readonly clock: Pick<Clock, "monotonicMs">;
}

export function createCallLogHandlers({ store, clock }: CallLogOptions): Pick<AccountHandlers, "listCalls"> {
  const lists = new Throttle(clock, LISTS_PER_ACCOUNT);
  return {
    async listCalls(request, { accountId }) {
      throwIfLimited(lists.take(accountId), tooManyCalls);
      const query = queryOf(accountId, request);
      const [{ calls, next }, includesParameters] = await Promise.all([store.callPage(query), store.keepsParameters(accountId)]);
      return {
        results: calls.map(loggedCallMessage),
        ...(next !== undefined && { nextPageToken: pageTokenAfter({ atMs: next.startedAtMs, id: next.id }) }),
        includesParameters,
        keptDays: CALLS_KEPT_DAYS,
      };
    },
  };
}

function queryOf(accountId: string, request: ListCallsRequest): CallQuery {
  const { pageSize, pageToken, requestId, keyId, service, method, outcome, result, since, until } = request;
  const before = pageToken === "" ? undefined : pageEndOf(pageToken);
  const violations = violationsOf(request);
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return {
    accountId,
    before: before && { startedAtMs: before.atMs, id: before.id },
    limit: pageSize === 0 ? PAGE_SIZE : pageSize,
    requestId: emptyAsUndefined(requestId),
    keyId,
    service: emptyAsUndefined(service),
    method: emptyAsUndefined(method),
    outcome: emptyAsUndefined(outcome),
    result: result === undefined ? undefined : RESULTS[result],
    sinceMs: since && timestampMs(since),
    untilMs: until && timestampMs(until),
  };
}

const emptyAsUndefined = (text: string): string | undefined => (text === "" ? undefined : text);

function violationsOf({ requestId, method, outcome, since, until }: ListCallsRequest): readonly Violation[] {
  const isOutcomeKnown = outcome === "" || OUTCOMES.includes(outcome);
  const nearest = isOutcomeKnown ? undefined : nearestName(outcome, OUTCOMES);
  const isEmptySpan = since !== undefined && until !== undefined && timestampMs(until) <= timestampMs(since);
  const texts = Object.entries({ request_id: requestId, method });
  return [
    ...texts.filter(([, text]) => hasControlCharacter(text)).map(([field]) => ({ field, description: NO_CONTROL_CHARACTERS })),
    ...(isOutcomeKnown
      ? []
      : [
          {
            field: "outcome",
            description: `must be OK or a reason${nearest === undefined ? ", such as NOT_FOUND" : `; did you mean ${nearest}?`}`,
          },
        ]),
    ...(isEmptySpan ? [{ field: "until", description: "must be after since" }] : []),
  ];
}
