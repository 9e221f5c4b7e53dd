// The live price of a token, from a stream. The stream is charged as a call when it begins and after each minute, so it runs only while the
// page is visible, and not forever.
import { useEffect, useState } from "preact/hooks";
import { TokenPriceService } from "../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { useApi } from "../api/api.ts";
import { callStream } from "../api/binary-transport.ts";
import { pause } from "../api/pause.ts";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { isFinal } from "../api/reason.ts";
import { millisOf } from "./formats.ts";

const INTERVAL_SECONDS = 5;
/** The stream pauses after this time, in case nobody is looking any more. */
const WATCHED_MAX_MS = 15 * 60_000;
/** A user who is away only for a moment comes back to the same stream. */
const HIDDEN_MAX_MS = 10_000;
/** How long to wait before a broken stream is restarted: twice as long each time, because each start is charged. */
const RESTART_MS = { first: 2000, max: 60_000 };

/** What is known about the price. */
export interface LivePrice {
  /** US dollars; null if the token has no price, undefined until it is known. */
  readonly usd: number | null | undefined;
  /** When the source recorded it, in milliseconds since the epoch; NaN if it is unknown. */
  readonly atMs: number;
  /** `waiting`: for the first price, or until a broken stream is restarted. `paused`: until `resume`. `ended`: `problem` says why. */
  readonly state: "waiting" | "live" | "paused" | "ended";
  readonly problem: ApiProblem | undefined;
  readonly resume: () => void;
}

type Known = Omit<LivePrice, "resume">;

const NOTHING: Known = { usd: undefined, atMs: Number.NaN, state: "waiting", problem: undefined };

/** `id` is `chain:address` or `coingecko:slug`. A new id starts over. */
export function useLivePrice(id: string): LivePrice {
  const { transport, onProblem } = useApi();
  const [known, setKnown] = useState<Known>(NOTHING);
  const [resumes, setResumes] = useState(0);
  useEffect(() => {
    const update = (changes: Partial<Known>): void => setKnown((before) => ({ ...before, ...changes }));
    const watch = async (signal: AbortSignal): Promise<void> => {
      for await (const { results, missing } of callStream(
        transport,
        TokenPriceService.method.watchPrices,
        { tokens: [id], intervalSeconds: INTERVAL_SECONDS },
        signal,
      )) {
        const [result] = results;
        if (result !== undefined) {
          update({ usd: result.price, atMs: millisOf(result.recordedAt), state: "live", problem: undefined });
        } else if (missing.length > 0) {
          update({ usd: null, atMs: Number.NaN, state: "live", problem: undefined });
        }
      }
    };
    setKnown(NOTHING);
    return watchWhileSeen(watch, (changes) => {
      update(changes);
      if (changes.problem !== undefined) {
        onProblem(changes.problem);
      }
    });
  }, [id, transport, resumes]);
  return { ...known, resume: () => setResumes((count) => count + 1) };
}

// Keeps `watch` running while the page is visible. Returns a function that ends it.
function watchWhileSeen(watch: (signal: AbortSignal) => Promise<void>, update: (changes: Partial<Known>) => void): () => void {
  let current: AbortController | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    current?.abort();
    current = undefined;
  };
  const begin = async (): Promise<void> => {
    const run = new AbortController();
    current = run;
    let waitMs = RESTART_MS.first;
    while (!run.signal.aborted) {
      const startedMs = performance.now();
      const problem = await watch(run.signal).then(() => undefined, problemOf);
      if (run.signal.aborted) {
        return;
      }
      if (problem !== undefined && (problem.isSessionLost || isFinal(problem.reason))) {
        update({ state: "ended", problem });
        return;
      }
      update({ state: "waiting", problem });
      // A stream that ran for a while is restarted quickly.
      waitMs = performance.now() - startedMs > RESTART_MS.max ? RESTART_MS.first : waitMs;
      await pause(Math.max(waitMs, problem?.retryAfterMs ?? 0), run.signal);
      waitMs = Math.min(RESTART_MS.max, waitMs * 2);
    }
  };
  const followPage = (): void => {
    clearTimeout(hiddenTimer);
    if (document.hidden) {
      hiddenTimer = setTimeout(end, HIDDEN_MAX_MS);
    } else if (current === undefined) {
      void begin();
    }
  };
  const watchedTimer = setTimeout(() => {
    stop();
    update({ state: "paused" });
  }, WATCHED_MAX_MS);
  function stop(): void {
    document.removeEventListener("visibilitychange", followPage);
    clearTimeout(hiddenTimer);
    clearTimeout(watchedTimer);
    end();
  }
  document.addEventListener("visibilitychange", followPage);
  followPage();
  return stop;
}
