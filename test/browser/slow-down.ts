// Makes Chromium simulate a slow machine on a slow connection.
import type { CDPSession } from "playwright-core";

/** How slow they are. */
export interface Slowness {
  /** How many times longer scripts, styles and layout take. */
  readonly cpuRate: number;
  /** How much later each response begins. */
  readonly latencyMs: number;
  /** In both directions; unlimited if left out. */
  readonly bytesPerSecond?: number;
}

const UNLIMITED = -1;

/** Slows down the page of this session. */
export async function slowDown(session: CDPSession, { cpuRate, latencyMs, bytesPerSecond = UNLIMITED }: Slowness): Promise<void> {
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: cpuRate });
}
