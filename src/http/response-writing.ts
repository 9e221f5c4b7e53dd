// How an answer's bytes are handed to Node, so that it is known what has left of them.
import type { ServerResponse } from "node:http";
import type { Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import type { UnsentAnswer } from "./unsent-responses.ts";

/** What of an answer is handed over at once. Of what is longer, a peer that takes no more than this within the stall time is one that does not read. */
export const PIECE_BYTES = 64 * 1024;

/** Ends an answer with its body, of which `unsent` waits for the end. Of a long one Node gets the next piece when it has got rid of the one before. */
export function endWith(answer: ServerResponse | ServerHttp2Stream, body: Uint8Array | string, unsent: UnsentAnswer): void {
  if (body.length <= PIECE_BYTES) {
    answer.end(body);
    return;
  }
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  let offset = 0;
  const next = (): void => {
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    offset += piece.length;
    if (offset === bytes.length) {
      answer.end(piece);
      return;
    }
    (answer as ServerResponse).write(piece, (error) => {
      if (error == null) {
        unsent.left(piece.length);
        next();
      }
    });
  };
  next();
}

/** Counts what is written on an answer by those who know nothing of us, and what of it has left. `refuse` is called in place of what is too much. */
export function countWrites(answer: ServerResponse | Http2ServerResponse, unsent: UnsentAnswer, refuse: () => void): void {
  const response = answer as ServerResponse;
  const write = response.write.bind(response) as (
    chunk: unknown,
    encoding: unknown,
    done: (error?: Error | null) => void,
  ) => boolean;
  const end = response.end.bind(response) as (...rest: unknown[]) => ServerResponse;
  response.write = ((chunk: Uint8Array | string, encoding?: unknown, done?: (error?: Error | null) => void) => {
    const bytes = Buffer.byteLength(chunk);
    if (!unsent.wait(bytes)) {
      refuse();
    }
    return write(chunk, encoding, (error) => {
      unsent.left(bytes);
      done?.(error);
    });
  }) as typeof response.write;
  response.end = ((...rest: unknown[]) => {
    unsent.waitForEnd(0);
    return end(...rest);
  }) as typeof response.end;
}
