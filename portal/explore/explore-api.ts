// How a page of Explore calls the data services: as any customer does, with a key. It is the short-lived one that the session makes, and is in
// memory alone.
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import type { ConsoleKeyError, ConsoleKeys } from "../api/console-key.ts";
import { problemOf } from "../api/problem.ts";

const KEY_HEADER = "x-gateway-key";
// The key has ended, or somebody has revoked it: another is made, once.
const KEY_REASONS: readonly (string | undefined)[] = ["KEY_INVALID", "KEY_EXPIRED", "KEY_REVOKED"];

/** Puts the key on each call. */
export const withConsoleKey =
  (keys: ConsoleKeys): Interceptor =>
  (next) =>
  async (request) => {
    const key = await keys.get().catch((error: ConsoleKeyError) => {
      throw failureOf(error);
    });
    request.header.set(KEY_HEADER, key);
    try {
      return await next(request);
    } catch (error) {
      if (!KEY_REASONS.includes(problemOf(error).reason)) {
        throw error;
      }
      keys.discard(key);
      request.header.set(KEY_HEADER, await keys.get());
      return await next(request);
    }
  };

// As the server itself would have refused the call.
const failureOf = ({ message, reason }: ConsoleKeyError): ConnectError =>
  reason === "UNREACHABLE"
    ? new ConnectError(message, Code.Unavailable)
    : new ConnectError(message, Code.Unauthenticated, undefined, [{ desc: ErrorInfoSchema, value: { reason, domain: "quintet" } }]);
