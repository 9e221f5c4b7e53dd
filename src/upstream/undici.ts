// The parts of undici that requests to upstreams are sent with. Its index loads fetch, WebSocket, caches and mocks as well: 2 MB of an idle
// server from the bundle, 7 MB from the sources, and 40 ms of each start.
/// <reference path="./undici-parts.d.ts" />
import type { Dispatcher } from "undici";
import requestWith from "undici/lib/api/api-request.js";

export { default as errors } from "undici/lib/core/errors.js";
export { default as Agent } from "undici/lib/dispatcher/agent.js";

/** Sends a request. */
export const request = (dispatcher: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> =>
  requestWith.call(dispatcher, options);
