// Reads the services' status for pages. However many visitors wait, there is one read at a time, and nobody waits long.
import type { GetStatusResponse } from "../../gen/quintet/account/v1/status_pb.js";
import type { Clock } from "../runtime/clock.ts";

const READ_MS_MAX = 5000;

/** Reads the status. Joins a read that is in progress. Rejects as the read does, and after 5 seconds. */
export type ReadStatus = () => Promise<GetStatusResponse>;

/** `read` reads the status from the store. A read that takes too long is abandoned, and the next call begins another one. */
export function createStatusReader(read: () => Promise<GetStatusResponse>, clock: Pick<Clock, "after">): ReadStatus {
  let inProgress: Promise<GetStatusResponse> | undefined;
  return () => {
    inProgress ??= inTime(read(), clock).finally(() => {
      inProgress = undefined;
    });
    return inProgress;
  };
}

function inTime<Result>(work: Promise<Result>, clock: Pick<Clock, "after">): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const cancel = clock.after(READ_MS_MAX, () => reject(new Error(`The status was not read within ${READ_MS_MAX} ms`)));
  work.then(resolve, reject).finally(cancel);
  return promise;
}
