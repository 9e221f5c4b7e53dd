// Who makes a request, as far as the transport knows.
import type { ClientCertificate } from "./client-certificate.ts";

export interface Client {
  /**
   * The network address. Behind a trusted proxy, the address that the PROXY protocol or `x-forwarded-for` names, or the proxy's own
   * address if neither can be read.
   */
  readonly address: string;
  /** Whether the client uses TLS to this server, or to the trusted proxy in front of it. */
  readonly isSecure: boolean;
  /** The client's certificate, verified by this server or a trusted proxy. Never a trusted proxy's own. */
  readonly certificate: ClientCertificate | undefined;
}
