// What the server logs to. A logger of pino is one.

type LogEvent = (fields: object, message: string) => void;

/** Takes events with their fields, and a message. Peers' mistakes are `debug`; what somebody should look at is `warn` or `error`. */
export interface Log {
  readonly debug: LogEvent;
  readonly info: LogEvent;
  readonly warn: LogEvent;
  readonly error: LogEvent;
}

const nothing: LogEvent = () => undefined;

/** Drops every event. */
export const NO_LOG: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
