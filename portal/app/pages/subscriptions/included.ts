// What a plan includes besides its two limits.
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";
import { formatNumber } from "../../formats.ts";

/** In words; empty if there is nothing. */
export function includedIn({ tokensPerCallMax, farkleBreakdown }: Plan): string {
  if (tokensPerCallMax !== undefined) {
    return `${formatNumber(tokensPerCallMax)} ${tokensPerCallMax === 1 ? "token" : "tokens"} per call`;
  }
  return farkleBreakdown === true ? "score breakdown" : "";
}
