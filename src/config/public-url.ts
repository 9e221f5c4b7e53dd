// Reads where customers reach the server.
import type { Environment } from "./environment.ts";

/** A loopback host, as it appears in a URL. */
export const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An origin such as `https://api.example.com`; undefined if the operator has set none, which is a fault only if one is needed. */
export function readPublicUrl(environment: Environment): string | undefined {
  const text = environment.optionalText(
    "QUINTET_PUBLIC_URL",
    "The address at which customers reach this server, such as `https://api.example.com`. It is used for links in e-mails, in " +
      "`/openapi.json` for the server and the link to the terms, in `/sitemap.xml`, the API catalog and the feed, and in the `user-agent` of requests to upstreams. Needed with `QUINTET_SMTP_URL`.",
  );
  const origin = originOf(text);
  if (text !== undefined && origin === undefined) {
    publicUrlFault(environment);
  }
  return origin;
}

/** Reports that the variable is missing or wrong. */
export function publicUrlFault(environment: Environment): void {
  environment.fault(
    "QUINTET_PUBLIC_URL",
    "must be an https URL without a path, such as https://api.example.com; http is allowed only for this machine, such as http://localhost:8080",
  );
}

function originOf(text: string | undefined): string | undefined {
  const url = URL.parse(text ?? "");
  if (url === null || url.pathname !== "/" || url.search + url.hash + url.username !== "") {
    return undefined;
  }
  const isThisMachine = url.protocol === "http:" && LOOPBACK.test(url.hostname);
  return url.protocol === "https:" || isThisMachine ? url.origin : undefined;
}
