// How a page of Explore calls the data services: as any customer does, with a key. With a session it creates a short-lived key, which is
// kept only in memory. Without a session it uses the public key.
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { type ConsoleKeyError, type ConsoleKeys, isKeyFault } from "../api/console-key.ts";
import { problemOf } from "../api/problem.ts";

const KEY_HEADER = "x-gateway-key";

/** Adds the public key to each call. */
export const withPublicKey =
  (secret: string): Interceptor =>
  (next) =>
  (request) => {
    request.header.set(KEY_HEADER, secret);
    return next(request);
  };

/** Adds the session's key to each call. If its key is refused, the call is repeated once with a new key. */
export const withConsoleKey =
  (keys: Pick<ConsoleKeys, "get" | "discard">): Interceptor =>
  (next) =>
  async (request) => {
    const getKey = (): Promise<string> =>
      keys.get().catch((error: ConsoleKeyError) => {
        throw failureOf(error);
      });
    const key = await getKey();
    request.header.set(KEY_HEADER, key);
    try {
      return await next(request);
    } catch (error) {
      if (!isKeyFault(problemOf(error).reason)) {
        throw error;
      }
      keys.discard(key);
      request.header.set(KEY_HEADER, await getKey());
      return await next(request);
    }
  };

// The refusal that the server would have sent.
const failureOf = ({ message, reason }: ConsoleKeyError): ConnectError =>
  reason === "UNREACHABLE"
    ? new ConnectError(message, Code.Unavailable)
    : new ConnectError(message, Code.Unauthenticated, undefined, [
        { desc: ErrorInfoSchema, value: { reason, domain: "quintet.example" } },
      ]);
