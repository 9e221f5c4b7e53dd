// Whether this machine's curl can do what is printed for people to paste: HTTP/2, and `--json`. Where it cannot, those tests are skipped.
import { execFileSync } from "node:child_process";

function says(...args: readonly string[]): string {
  try {
    return execFileSync("curl", args, { encoding: "utf8" });
  } catch {
    return "";
  }
}

/** True when it can. */
export const CURL_IS_ABLE = says("--version").includes("HTTP2") && says("--help", "all").includes("--json");
