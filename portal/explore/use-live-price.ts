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
const RESTART_MS = { first: 2000, most: 60_000 };

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
  const [visit, setVisit] = useState(0);
  useEffect(() => {
    const learn = (news: Partial<Known>): void => setKnown((before) => ({ ...before, ...news }));
    const watch = async (signal: AbortSignal): Promise<void> => {
      for await (const { results, missing } of callStream(
        transport,
        TokenPriceService.method.watchPrices,
        { tokens: [id], intervalSeconds: INTERVAL_SECONDS },
        signal,
      )) {
        const [news] = results;
        if (news !== undefined) {
          learn({ usd: news.price, atMs: millisOf(news.timestamp), state: "live", problem: undefined });
        } else if (missing.length > 0) {
          learn({ usd: null, atMs: Number.NaN, state: "live", problem: undefined });
        }
      }
    };
    setKnown(NOTHING);
    return watchWhileSeen(watch, (news) => {
      learn(news);
      if (news.problem !== undefined) {
        onProblem(news.problem);
      }
    });
  }, [id, transport, visit]);
  return { ...known, resume: () => setVisit((count) => count + 1) };
}

// Keeps `watch` running while the page is visible. Returns a function that ends it.
function watchWhileSeen(watch: (signal: AbortSignal) => Promise<void>, learn: (news: Partial<Known>) => void): () => void {
  let ending: AbortController | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    ending?.abort();
    ending = undefined;
  };
  const begin = async (): Promise<void> => {
    const run = new AbortController();
    ending = run;
    let waitMs = RESTART_MS.first;
    while (!run.signal.aborted) {
      const startedMs = performance.now();
      const problem = await watch(run.signal).then(() => undefined, problemOf);
      if (run.signal.aborted) {
        return;
      }
      if (problem !== undefined && (problem.isSessionLost || isFinal(problem.reason))) {
        learn({ state: "ended", problem });
        return;
      }
      learn({ state: "waiting", problem });
      // A stream that ran for a while is restarted quickly.
      waitMs = performance.now() - startedMs > RESTART_MS.most ? RESTART_MS.first : waitMs;
      await pause(Math.max(waitMs, problem?.retryAfterMs ?? 0), run.signal);
      waitMs = Math.min(RESTART_MS.most, waitMs * 2);
    }
  };
  const followPage = (): void => {
    clearTimeout(hiding);
    if (document.hidden) {
      hiding = setTimeout(end, HIDDEN_MAX_MS);
    } else if (ending === undefined) {
      void begin();
    }
  };
  const watched = setTimeout(() => {
    stop();
    learn({ state: "paused" });
  }, WATCHED_MAX_MS);
  function stop(): void {
    document.removeEventListener("visibilitychange", followPage);
    clearTimeout(hiding);
    clearTimeout(watched);
    end();
  }
  document.addEventListener("visibilitychange", followPage);
  followPage();
  return stop;
}
