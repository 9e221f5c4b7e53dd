// What keeps the proxies on the way from holding a stream back.
import type { ResponseHeaders } from "../../http/headers.ts";

/**
 * Headers of every stream. nginx passes each message on at once by the first: https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering.
 * A proxy that compressed the stream by itself would wait for more of it: https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.6
 */
export const STREAM_HEADERS: ResponseHeaders = { "x-accel-buffering": "no", "cache-control": "no-store, no-transform" };
