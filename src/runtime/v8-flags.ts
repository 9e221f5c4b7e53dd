// Tunes V8 for a server of short calls, first for loading and then for serving. This only affects how long collections take, how
// much memory they reserve, and when code is optimized. See docs/decisions.md for the figures.
import { setFlagsFromString } from "node:v8";

/**
 * Call it before the rest of the program runs; it applies to all threads. Stops V8 from allocating objects directly in the old generation
 * if earlier objects from the same place lived long. V8 mistakes the streams of the first, slow calls for long-lived objects; from then on
 * each stream, dead within a millisecond, would keep alive what it points to until the next full collection. Until `tuneToServe`, the young
 * generation keeps its initial size: most objects survive while the program loads, and V8 would respond by reserving far more space in each
 * thread than an idle server needs. Nothing is optimized until then either: the code that is hot during loading is not the code that calls
 * need, and the optimizing compilers take memory too. Commands end before optimization would pay off.
 */
export function tuneToLoad(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  setFlagsFromString("--semi-space-growth-factor=1");
  // These filters match no function. The flags that turn the compilers off would still apply in threads started in the meantime.
  setFlagsFromString("--maglev-filter=~");
  setFlagsFromString("--turbo-filter=~");
}

/**
 * Lets V8 grow the young generation, and optimize, as it does by default. The late start does not make collections during calls
 * slower. Call it when the program is loaded, and while its other threads wait. From then on each thread collects its young
 * generation alone. Almost nothing that a call allocates survives, so waking other threads takes longer than the work itself, and the other
 * cores have their own calls to serve.
 */
export function tuneToServe(): void {
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--maglev-filter=*");
  setFlagsFromString("--turbo-filter=*");
}

let holdCount = 0;

/**
 * Keeps the young generation from growing, after `tuneToServe`, until the returned function is called. For long work whose results are
 * kept: most of its objects survive, so V8 would let the young generation grow, and each collection would stop the thread for as long as
 * copying all of it takes. It affects all threads; if several threads do this, the first that is done ends it for all.
 */
export function capYoungGeneration(): () => void {
  holdCount += 1;
  setFlagsFromString("--semi-space-growth-factor=1");
  return () => {
    holdCount -= 1;
    if (holdCount === 0) {
      setFlagsFromString("--semi-space-growth-factor=2");
    }
  };
}
