// What pages know about the public key, if the operator has set one. They use it for calls while nobody is signed in.
import type { ExploreConfig } from "../config/explore.ts";

/** The value of `data-placeholder` on the element that the key replaces. */
export const EXPLORE_KEY_PLACEHOLDER = "explore-key";

/** The element as HTML; empty without a key. Nothing in it needs escaping. */
export const exploreKeyElement = (explore: ExploreConfig | undefined): string =>
  explore === undefined
    ? ""
    : `<data id="explore-key" hidden value="${explore.key}" data-minute="${explore.callsPerMinute}" data-day="${explore.callsPerDay}"></data>`;
