// Who makes a request, as far as the transport can tell.
import type { ClientCertificate } from "./client-certificate.ts";

/** Who makes a request. */
export interface Client {
  /**
   * Their address. Behind a trusted proxy it is what the PROXY protocol or `x-forwarded-for` says; it is the proxy's own where neither says
   * anything that can be read.
   */
  readonly address: string;
  /** Whether they use TLS, to this server or to the trusted proxy before it. */
  readonly isSecure: boolean;
  /** Their certificate, which this server or a trusted proxy has verified. Never a trusted proxy's own. */
  readonly certificate: ClientCertificate | undefined;
}
