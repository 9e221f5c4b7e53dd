// The buttons with which visitors make the front page's calls, on a server whose operator has made a key public: without one, the page has
// only the recorded responses.
import type { ExploreConfig } from "../config/explore.ts";

/** The values of `data-placeholder` on the elements that are replaced: in a call that browsers can make, and in one over gRPC. */
export const LIVE_CALL_PLACEHOLDERS = { run: "run", grpc: "run-grpc" } as const;

/** Placeholder → HTML, which is empty without a public key. A script shows the buttons. */
export const liveCallElements = (explore: ExploreConfig | undefined): Readonly<Record<string, string>> => {
  const { run, grpc } = LIVE_CALL_PLACEHOLDERS;
  return explore === undefined
    ? { [run]: "", [grpc]: "" }
    : {
        [run]: `<span role="status"></span><button type="button" data-run hidden>Run it now</button>`,
        [grpc]: ". Browsers cannot send gRPC.",
      };
};
