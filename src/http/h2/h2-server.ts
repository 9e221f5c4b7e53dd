// HTTP/2: one session for each connection, with our limits, closed gracefully when it is idle or the listener drains.
import { constants, performServerHandshake, type ServerHttp2Stream, type ServerOptions } from "node:http2";
import type { Socket } from "node:net";
import { FIRST_BODY_BYTES } from "../body-budget.ts";
import type { RequestHeaders } from "../headers.ts";
import { ignoreErrors } from "../ignore-errors.ts";
import type { ServerLimits } from "../limits.ts";
import { FAREWELL_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { HEADS_LOOK_MS, RefusedHeads } from "../refused-heads.ts";
import { headFault } from "../request-head.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import { H2Exchange } from "./h2-exchange.ts";

/** The highest stream id there is: a GOAWAY with it says "no new ones, please", and refuses none that is on its way. */
const STREAM_ID_MAX = 2 ** 31 - 1;

/** One HTTP/2 connection. */
export interface Http2Connection {
  /** Lets calls under way end and closes the connection then. */
  retire(): void;
}

/** The options of a session that keeps to the limits. */
export function http2Options(limits: ServerLimits): ServerOptions {
  return {
    settings: {
      maxConcurrentStreams: limits.requestsUnderWayMax,
      // As HTTP/2 counts, with 32 bytes more for each header. Node only announces it; `headFault` holds it.
      maxHeaderListSize: limits.headerBytesMax + limits.urlBytesMax + 32 * limits.headersMax,
      enablePush: false,
      // No more of a body may come before there is room for it, and somebody reads it.
      initialWindowSize: FIRST_BODY_BYTES,
    },
    // More than is allowed, because Node resets the stream for it and `headFault` can say why.
    maxHeaderListPairs: 2 * limits.headersMax,
    streamResetBurst: limits.streamResetBurst,
    streamResetRate: limits.streamResetsPerSecond,
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 100,
    // In MB: frames that wait to be sent or read count against it.
    maxSessionMemory: 10,
  };
}

/** Serves one connection that speaks HTTP/2. */
export function serveHttp2(socket: Socket, options: ServerOptions, listenerContext: ListenerContext): Http2Connection {
  const { clock, limits, log } = listenerContext;
  // Nothing of HTTP/2 works on half a connection.
  socket.allowHalfOpen = false;
  const session = performServerHandshake(socket, options);
  const unsent = new UnsentOfConnection(socket);
  let streams = 0;
  let quietSinceMs = clock.monotonicMs();
  let retired = false;
  const refusedHeads = new RefusedHeads(clock);
  let expelled = false;
  let bytesLookedAt = 0;

  const closeIfUnbearable = (): void => {
    if (refusedHeads.isBearable || expelled) {
      return;
    }
    expelled = true;
    // A session that is destroyed while it takes in bytes says no farewell.
    setImmediate(() => session.destroy(new Error("too many heads were refused"), constants.NGHTTP2_ENHANCE_YOUR_CALM));
    // A peer that does not read the farewell keeps nothing open with it.
    socket.once(
      "close",
      clock.after(FAREWELL_MS, () => socket.destroy()),
    );
  };
  // Trailers may be as many as headers, and Node refuses them as it does those.
  const countReset = (stream: ServerHttp2Stream): void => {
    if (stream.rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) {
      refusedHeads.refused(1);
      closeIfUnbearable();
    }
  };
  session.on("stream", (stream: ServerHttp2Stream, headers, _flags, rawHeaders) => {
    // A reset may still become an error event, on streams too that get no exchange; unheard, it would end the process.
    ignoreErrors(stream);
    refusedHeads.seen(stream.id ?? 0);
    closeIfUnbearable();
    if (expelled || stream.destroyed || stream.closed) {
      // Its peer is told to go, or it was reset in the same breath: whoever floods us with such streams gets no work out of us.
      countReset(stream);
      return;
    }
    streams += 1;
    const exchange = new H2Exchange(listenerContext, unsent, stream, headers as RequestHeaders);
    exchange.onEnd(() => {
      streams -= 1;
      quietSinceMs = clock.monotonicMs();
      countReset(stream);
    });
    const url = headers[":path"] ?? "";
    const fault = headFault(
      { url, rawHeaders: rawHeaders as string[], host: headers[":authority"] ?? headers.host, hostRequired: true },
      limits,
    );
    if (fault === undefined) {
      listenerContext.handle(exchange);
    } else {
      listenerContext.handleFault(exchange, fault);
      refusedHeads.refused(1);
      closeIfUnbearable();
    }
  });
  session.on("error", (error) => log.debug({ err: error }, "an HTTP/2 connection failed"));

  const retire = (): void => {
    if (retired || session.destroyed) {
      return;
    }
    retired = true;
    session.goaway(0, STREAM_ID_MAX);
    const cancelTimer = clock.after(FAREWELL_MS, () => session.close());
    session.ping(() => {
      cancelTimer();
      session.close();
    });
  };

  const lookForRefusedHeads = (): void => {
    if (socket.bytesRead !== bytesLookedAt && !session.destroyed) {
      bytesLookedAt = socket.bytesRead;
      refusedHeads.opened(session.state.lastProcStreamID ?? 0);
      closeIfUnbearable();
    }
  };

  // One timer a connection, set again rather than moved with every call.
  const watch = (delayMs: number): (() => void) =>
    clock.after(Math.min(delayMs, HEADS_LOOK_MS), () => {
      lookForRefusedHeads();
      const quietMs = streams > 0 ? 0 : clock.monotonicMs() - quietSinceMs;
      const allowedMs = retired ? FAREWELL_MS : limits.idleTimeoutMs;
      if (quietMs < allowedMs) {
        cancelWatch = watch(allowedMs - quietMs);
      } else if (!retired) {
        retire();
        quietSinceMs = clock.monotonicMs() + FAREWELL_MS;
        cancelWatch = watch(2 * FAREWELL_MS);
      } else {
        socket.destroy();
      }
    });
  let cancelWatch = watch(limits.idleTimeoutMs);
  socket.once("close", () => cancelWatch());
  return { retire };
}
