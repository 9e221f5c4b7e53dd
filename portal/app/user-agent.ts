// A `user-agent` header in plain words: `Firefox on Linux`. Clients may send any text in it, so a header that is not recognised is
// shown unchanged.

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\b(?:Headless)?Chrome\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const nameIn = (names: typeof BROWSERS, text: string): string | undefined => names.find(([shape]) => shape.test(text))?.[1];

/** The words for a `user-agent` header; undefined means that none was sent. */
export function programOf(userAgent: string | undefined): string {
  if (userAgent === undefined) {
    return "Unknown program";
  }
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  return browser === undefined ? userAgent.slice(0, 60) : [browser, system].filter((name) => name !== undefined).join(" on ");
}
