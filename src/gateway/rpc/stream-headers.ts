// Headers that keep proxies from buffering a stream.
import type { ResponseHeaders } from "@quintet/http";

/**
 * Headers of every stream. The first makes nginx pass each message on at once:
 * https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering. The second forbids compression, because a proxy
 * that compresses waits for more of the stream: https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.6
 */
export const STREAM_HEADERS: ResponseHeaders = { "x-accel-buffering": "no", "cache-control": "no-store, no-transform" };
