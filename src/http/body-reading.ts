// Reads a request's body whole, within a bound of bytes and of time, and stops reading as soon as either is passed.
import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Clock } from "../runtime/clock.ts";
import { type BodyRoom, noRoomForBody } from "./body-budget.ts";
import { TransportError } from "./transport-fault.ts";

/** The bounds of one body. */
export interface BodyBounds {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  /** Released when the body is there, or is not wanted any more. */
  readonly room: BodyRoom;
  readonly clock: Clock;
}

/** The body of a request that has none. */
export const NO_BODY: Uint8Array = new Uint8Array(0);

/** The peer has gone. */
export const cancelled = (): TransportError =>
  new TransportError({ reason: "CANCELLED", message: "The caller went away before the body was complete." });

/** The body is longer than is allowed. */
export const bodyTooLarge = (bytesMax: number): TransportError =>
  new TransportError({ reason: "BODY_TOO_LARGE", message: `The body is longer than ${bytesMax} bytes.` });

/**
 * The whole body. Rejects with a TransportError: BODY_TOO_LARGE, SERVER_BUSY where it outgrows its room, REQUEST_TIMEOUT, or CANCELLED when the
 * peer has gone.
 */
export function readWholeBody(source: IncomingMessage | ServerHttp2Stream, bounds: BodyBounds): Promise<Uint8Array> {
  const { bytesMax, timeoutMs, room, clock } = bounds;
  if (source.readableEnded && !source.aborted) {
    // An empty body ends by itself, before anybody asks for it.
    room.release();
    return Promise.resolve(NO_BODY);
  }
  if (source.destroyed) {
    room.release();
    return Promise.reject(cancelled());
  }
  return new Promise((resolve, reject) => {
    let only: Buffer | undefined;
    let more: Buffer[] | undefined;
    let bytes = 0;
    // The listeners of a body that is there go with its stream: taking them off would cost as much as all else here.
    let settled = false;
    const fail = (failure: TransportError): void => {
      if (settled) {
        return;
      }
      settled = true;
      cancelTimer();
      room.release();
      source.off("data", onData);
      source.pause();
      reject(failure);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) {
        fail(bodyTooLarge(bytesMax));
      } else if (!room.grow(bytes)) {
        fail(noRoomForBody());
      } else if (only === undefined) {
        only = chunk;
      } else if (more === undefined) {
        more = [only, chunk];
      } else {
        more.push(chunk);
      }
    };
    const onEnd = (): void => {
      // A stream that is reset without an error ends like a whole one.
      if (source.aborted) {
        fail(cancelled());
      } else if (!settled) {
        settled = true;
        cancelTimer();
        room.release();
        resolve(more === undefined ? (only ?? NO_BODY) : Buffer.concat(more, bytes));
      }
    };
    const onClose = (): void => {
      if (!settled) {
        fail(cancelled());
      }
    };
    const cancelTimer = clock.after(timeoutMs, () =>
      fail(new TransportError({ reason: "REQUEST_TIMEOUT", message: `The body did not arrive within ${timeoutMs} ms.` })),
    );
    room.giveUp = () => fail(noRoomForBody());
    source.on("data", onData);
    source.on("end", onEnd);
    // It follows every error.
    source.on("close", onClose);
  });
}
