// Reads how many calls go into the customers' call log.
import type { Environment } from "./environment.ts";

/** The most calls per second that a server logs; 0 for none. */
export const readCallLogPerSecond = (environment: Environment): number =>
  environment.integer(
    "QUINTET_CALL_LOG_PER_SECOND",
    20,
    { min: 0, max: 10_000 },
    "The most calls per second that a server writes to the call log that customers can search; 0 for none. One account may use at most a quarter of that for each kind of call: succeeded, failed, refused. A call takes about 400 bytes in the database, for seven days.",
  );
