// The method that watches an account's calls.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { WatchCallsResponseSchema } from "../../../gen/quintet/account/v1/usage_pb.js";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import { tooManyWatchers } from "../refusals.ts";
import type { CallFeed } from "../watch/call-feed.ts";
import type { CallRecord } from "../watch/call-record.ts";
import { callMessage } from "./call-messages.ts";
import type { AccountHandlers } from "./handlers.ts";

/** How long a stream may continue after its session has expired. If somebody ends the session, the stream ends immediately. */
const SESSION_CHECK_INTERVAL_MS = 5000;

interface WatchOptions {
  readonly callFeed: CallFeed;
  /** How many servers share the calls, including this one. */
  readonly servers: () => number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

export function createWatchHandlers({ callFeed, servers, clock }: WatchOptions): Pick<AccountHandlers, "watchCalls"> {
  return {
    async *watchCalls({ service, keyId, onlyRefused, backlog: backlogMax }, { accountId, personId }, { signal, requireSession }) {
      const filter = { service: service === "" ? undefined : (service as ServiceName), keyId, onlyRefused };
      const { watcher, backlog, end } = callFeed.watch(accountId, filter, backlogMax, personId);
      try {
        yield { ...messageOf(backlog, 0), servers: servers() };
        let checkedMs = clock.monotonicMs();
        while (!signal.aborted) {
          const dueMs = checkedMs + SESSION_CHECK_INTERVAL_MS - clock.monotonicMs();
          const message = await watcher.take(Math.max(0, dueMs), signal);
          if (watcher.takeAccountChange() || clock.monotonicMs() - checkedMs >= SESSION_CHECK_INTERVAL_MS) {
            // If the store does not respond, the stream continues: the gateway admits the whole call again once a minute anyway.
            await requireSession().catch(ignoreUnavailable);
            checkedMs = clock.monotonicMs();
          }
          if (watcher.wasEvicted) {
            throw new Failure(tooManyWatchers(undefined));
          }
          if (message !== undefined) {
            yield messageOf(message.calls, message.leftOut);
          }
        }
      } finally {
        end();
      }
    },
  };
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) {
    throw error;
  }
}

const messageOf = (calls: readonly CallRecord[], leftOut: number): MessageInitShape<typeof WatchCallsResponseSchema> => ({
  calls: calls.map(callMessage),
  leftOut,
});
