// Reads how Quintet presents itself to upstreams.
import type { ProxyConfig } from "../runtime/proxied-agent.ts";
import { version } from "../runtime/version.ts";
import type { Environment } from "./environment.ts";

/** What all calls to upstreams have in common. */
export interface OutboundConfig {
  /** The `user-agent` header. */
  readonly userAgent: string;
  /** The longest that connecting may take, including TLS. */
  readonly connectTimeoutMs: number;
  /** The proxy that requests go through; undefined if there is none. */
  readonly proxy?: ProxyConfig | undefined;
}

// This machine is never reached through a proxy.
const LOOPBACK = "localhost,127.0.0.1,::1";

// Public sources connect in tenths of a second, TLS included.
const CONNECT_TIMEOUT_MS = 5000;

/** Reads QUINTET_CALL_TIMEOUT_MS. */
export const readCallTimeoutMs = (environment: Environment): number =>
  environment.integer(
    "QUINTET_CALL_TIMEOUT_MS",
    30_000,
    { min: 100, max: 600_000 },
    "The longest that a call may take, in milliseconds. A caller's later deadline is shortened to this. Upstreams may take a quarter of it.",
  );

/** The longest that a call may wait for upstreams. Then there is still time for a response from what was read before. */
export const readUpstreamTimeoutMs = (environment: Environment): number => readCallTimeoutMs(environment) / 4;

/** Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Who sends the requests is said by the public URL: sources are run by volunteers. */
export function readOutboundConfig(environment: Environment, publicUrl: string | undefined): OutboundConfig {
  return {
    userAgent: `Quintet/${version}${publicUrl === undefined ? "" : ` (+${publicUrl})`}`,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    proxy: readProxy(environment),
  };
}

function readProxy(environment: Environment): ProxyConfig | undefined {
  const urlOf = (name: string, meaning: string): string => {
    const text = environment.optionalText(name, meaning) ?? environment.lowerCase(name) ?? "";
    // It may contain a password, so the fault does not repeat it.
    if (text !== "" && !/^https?:$/.test(URL.parse(text)?.protocol ?? "")) {
      environment.fault(name, "must be an http or https URL, such as http://proxy.example:3128");
    }
    return text;
  };
  const https = urlOf(
    "HTTPS_PROXY",
    "The URL of a proxy, such as `http://proxy.example:3128`, for requests to https URLs: upstreams, webhooks and the collector of traces. " +
      "As with most programs, `https_proxy` in lower case is the same.",
  );
  const http = urlOf("HTTP_PROXY", "The same for http URLs.");
  const exceptions = "NO_PROXY";
  const none =
    environment.optionalText(
      exceptions,
      "Hosts that are reached without a proxy, separated by commas; `.example.com` for all names below it. This machine always is.",
    ) ??
    environment.lowerCase(exceptions) ??
    "";
  return https === "" && http === "" ? undefined : { https, http, none: none === "" ? LOOPBACK : `${none},${LOOPBACK}` };
}
