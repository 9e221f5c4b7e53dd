// When the TLS certificate expires. The check of the settings has already made sure that the files exist and match.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { TlsFiles } from "../../config/tls.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const DAY_MS = 86_400_000;
const WARN_DAYS = 21;
const ADVICE = "Renew it, and send the server SIGHUP.";

/** A line for the server's certificate, and one for each authority of its clients. */
export function checkCertificates({ cert, clientCa }: Pick<TlsFiles, "cert" | "clientCa">, nowMs: number): readonly Finding[] {
  return [cert, ...(clientCa === undefined ? [] : [clientCa])].map((path) => checkOne(path, nowMs));
}

function checkOne(path: string, nowMs: number): Finding {
  const { validFromDate, validToDate } = new X509Certificate(readFileSync(path));
  const until = validToDate.toISOString().slice(0, 10);
  const days = Math.floor((validToDate.getTime() - nowMs) / DAY_MS);
  if (validFromDate.getTime() > nowMs) {
    return fail(
      "certificate",
      `${path} is not valid before ${validFromDate.toISOString()}`,
      "Check the certificate and this machine's clock.",
    );
  }
  if (days < 0) {
    return fail("certificate", `${path} expired on ${until}`, ADVICE);
  }
  return days < WARN_DAYS
    ? warn("certificate", `${path} expires in ${days} days, on ${until}`, ADVICE)
    : ok("certificate", `${path} is valid until ${until}`);
}
