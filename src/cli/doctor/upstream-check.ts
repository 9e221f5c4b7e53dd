// Whether the services' sources work from here, and how far their clocks are off.
import { fetch } from "undici";
import type { OutboundConfig } from "../../config/outbound.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createAgent } from "../../runtime/proxied-agent.ts";
import type { ServiceUpstreams } from "../../services/registry.ts";
import type { SourceCheck } from "../../services/source-checks.ts";
import type { ClockDifference } from "./clock-check.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

// Dates in headers are in whole seconds, and the response took time to arrive.
const DATE_PRECISION_MS = 1500;
const CLOCK_TIMEOUT_MS = 10_000;

/** One line for each source. A source is shown by its origin, because the rest of its URL may contain a key. */
export function upstreamFindings(checks: readonly SourceCheck[]): readonly Finding[] {
  return checks.map(({ service, name, origin, works, message, hasOthers }) => {
    const subject = `${service}: ${name}`;
    if (works) {
      return ok(subject, `${origin} works: ${message}`);
    }
    const what = `${origin} does not work: ${message}`;
    if (checks.some((other) => other.service === service && other.name === name && other.works)) {
      return warn(subject, what, "Another source is used instead. If this persists, remove the failing source from the setting.");
    }
    const all = hasOthers ? "None of the sources works. " : "";
    return fail(subject, what, `${all}Check the setting, DNS and the firewall. Until then, calls that need this source fail.`);
  });
}

/** The clocks of the sources' servers, as far as they answer. */
export async function upstreamClocks(
  groups: readonly ServiceUpstreams[],
  { userAgent, proxy }: OutboundConfig,
  clock: Pick<Clock, "nowMs">,
): Promise<readonly ClockDifference[]> {
  const dispatcher = createAgent(proxy, {});
  const origins = new Set(groups.flatMap(({ urls }) => urls.map((url) => new URL(url).origin)));
  const clocks = [...origins].map(async (origin): Promise<readonly ClockDifference[]> => {
    try {
      const { headers } = await fetch(origin, {
        method: "HEAD",
        headers: { "user-agent": userAgent },
        redirect: "manual",
        dispatcher,
        signal: AbortSignal.timeout(CLOCK_TIMEOUT_MS),
      });
      const aheadMs = Date.parse(headers.get("date") ?? "") - clock.nowMs();
      return Number.isNaN(aheadMs) ? [] : [{ whose: new URL(origin).host, aheadMs, uncertaintyMs: DATE_PRECISION_MS }];
    } catch {
      return [];
    }
  });
  const differences = (await Promise.all(clocks)).flat();
  await dispatcher.destroy();
  return differences;
}
