// Checks the services' sources: asks each what its service asks, and says what it has. `quintet doctor` does this once, a server with an
// admin port every hour, so that a source that has moved or stands still is noticed before customers notice it.
import type { OutboundConfig } from "../config/outbound.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { createUpstream } from "../upstream/undici-upstream.ts";
import type { UpstreamGroup } from "./definition.ts";
import type { ServiceUpstreams } from "./registry.ts";

/** What a source answered. */
export interface SourceCheck {
  readonly service: string;
  /** What the source provides, such as `prices`. */
  readonly name: string;
  /** Never more of the URL: its path may contain a key. */
  readonly origin: string;
  readonly works: boolean;
  /** What it has, such as `1,234 tokens`, or what is wrong, such as `responded with status 404`. */
  readonly message: string;
  /** Whether its service has other sources of the same. */
  readonly hasOthers: boolean;
}

interface SourceChecksOptions {
  readonly outbound: OutboundConfig;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

// As much as any service accepts. Nothing is tried again: the next check is soon enough, and nothing else would keep `quintet doctor` alive
// while it waits.
const LIMITS = {
  concurrencyMax: 4,
  queueMax: 100,
  bodyBytesMax: 5 * 1024 * 1024,
  bodyValuesMax: 500_000,
  redirectsMax: 3,
  retries: 0,
} as const;
const TIMEOUT_MS = 20_000;
// The first check is soon after the start, but not in its rush.
const FIRST_CHECK_MS = 5000;
const CHECK_EVERY_MS = 3_600_000;

/** Asks every source, all at the same time. Never rejects. */
export async function checkSources(
  groups: readonly ServiceUpstreams[],
  options: SourceChecksOptions,
): Promise<readonly SourceCheck[]> {
  const { clock, outbound } = options;
  const upstream = createUpstream({ ...LIMITS, ...outbound, ...options, name: "source checks", cacheMs: 0 });
  const { signal } = new AbortController();
  const checkOne = async ({ check }: UpstreamGroup, url: string): Promise<{ works: boolean; message: string }> => {
    try {
      const message = await check(
        url,
        async (target, parse) => (await upstream.get(target, parse, { signal, timeoutMs: TIMEOUT_MS })).value,
        clock.nowMs(),
      );
      return { works: true, message };
    } catch (thrown) {
      return { works: false, message: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  };
  try {
    const checks = groups.flatMap((group) =>
      group.urls.map(async (url) => ({
        service: group.service,
        name: group.name,
        origin: new URL(url).origin,
        hasOthers: group.urls.length > 1,
        ...(await checkOne(group, url)),
      })),
    );
    return await Promise.all(checks);
  } finally {
    await upstream.close();
  }
}

/** The results of hourly checks. */
export interface SourceMonitor {
  /** Empty before the first check. */
  readonly latest: readonly SourceCheck[];
  close(): void;
}

/** Checks the sources every hour. */
export function monitorSources(groups: readonly ServiceUpstreams[], options: SourceChecksOptions): SourceMonitor {
  const { clock, log, randomness } = options;
  let latest: readonly SourceCheck[] = [];
  let cancel = (): void => {};
  const schedule = (delayMs: number): void => {
    // Servers that started together do not check together.
    cancel = clock.after(delayMs * (1 + randomness.unit() / 10), () => {
      schedule(CHECK_EVERY_MS);
      void checkSources(groups, options).then((checks) => {
        latest = checks;
        for (const { service, name, origin, message } of checks.filter(({ works }) => !works)) {
          log.warn({ service, source: name, origin, reason: message }, "a source did not pass its hourly check");
        }
      });
    });
  };
  schedule(FIRST_CHECK_MS);
  return {
    get latest() {
      return latest;
    },
    close: () => cancel(),
  };
}
