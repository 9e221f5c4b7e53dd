// Sends e-mails by SMTP, with nodemailer, which is loaded only if e-mails are sent. Every step has a timeout, so that a silent server
// cannot cause a long delay. The server's messages are not passed on: they may repeat an address.
import { isIP } from "node:net";
import type { MailConfig } from "../config/mail.ts";
import { LOOPBACK } from "../config/public-url.ts";
import type { MailTransport, SendResult } from "./mail.ts";

/** How long a server may take to accept the connection, to send its greeting, and to respond to each command, in milliseconds. */
export interface SmtpTimeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  readonly responseMs: number;
}

// nodemailer's codes for faults of the e-mail: of its addresses or of its content.
const MAIL_FAULTS: ReadonlySet<string> = new Set(["EENVELOPE", "EMESSAGE"]);

/** The code of a failure because of the server's certificate. */
export const CERTIFICATE_FAULT = "CERTIFICATE";

/** The timeouts of a server, unless a test sets others. */
const SMTP_TIMEOUTS: SmtpTimeouts = { connectMs: 10_000, greetingMs: 10_000, responseMs: 20_000 };

/** Loads nodemailer and creates the transport. A connection is opened for each e-mail. */
export async function createSmtpTransport(config: MailConfig, timeouts = SMTP_TIMEOUTS): Promise<MailTransport> {
  const transporter = await transporterOf(config, timeouts);
  return {
    async send(mail) {
      try {
        await transporter.sendMail({
          from: config.from,
          ...mail,
          // Exactly one address, not a list to parse: an operator may have typed anything.
          to: { name: "", address: mail.to },
          // Tells out-of-office programs not to reply. https://www.rfc-editor.org/rfc/rfc3834
          headers: { "auto-submitted": "auto-generated" },
          disableFileAccess: true,
          disableUrlAccess: true,
        });
        return { outcome: "sent" };
      } catch (error) {
        return failureOf(error);
      }
    },
    close: () => transporter.close(),
  };
}

/** Connects, encrypts and signs in as for an e-mail, but does not send one. Returns a result as if it had. Never rejects. */
export async function trySmtpServer(config: MailConfig, timeouts = SMTP_TIMEOUTS): Promise<SendResult> {
  const transporter = await transporterOf(config, timeouts);
  try {
    await transporter.verify();
    return { outcome: "sent" };
  } catch (error) {
    return failureOf(error);
  } finally {
    transporter.close();
  }
}

async function transporterOf({ smtp, publicUrl }: MailConfig, { connectMs, greetingMs, responseMs }: SmtpTimeouts) {
  const { createTransport } = await import("nodemailer");
  const { host, port, isSecure, needsStartTls, credentials } = smtp;
  const name = new URL(publicUrl).hostname.replaceAll(/[[\]]/g, "");
  return createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: needsStartTls,
    // What the server calls itself in EHLO. Relays refuse the address of this machine, which is nodemailer's default.
    name: isIP(name) === 0 ? name : isIP(name) === 4 ? `[${name}]` : `[IPv6:${name}]`,
    // A mail server on this machine has a certificate that it has made itself, and nobody is in between.
    ...(LOOPBACK.test(host.includes(":") ? `[${host}]` : host) && !needsStartTls && { tls: { rejectUnauthorized: false } }),
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    socketTimeout: responseMs,
    dnsTimeout: connectMs,
  });
}

// A server's 5xx reply about the e-mail itself is final. An operator can fix anything else.
function failureOf(error: unknown): SendResult {
  const {
    code = "UNKNOWN",
    responseCode,
    message = "",
  } = error as Partial<Error> & {
    readonly code?: string;
    readonly responseCode?: number;
  };
  // nodemailer replaces the code of a TLS error. The messages of OpenSSL and Node about certificates contain no address.
  if (/\bcertificate\b/i.test(message) && responseCode === undefined) {
    return { outcome: "failed", code: CERTIFICATE_FAULT };
  }
  const isFinal = responseCode !== undefined && responseCode >= 500 && MAIL_FAULTS.has(code);
  return { outcome: isFinal ? "refused" : "failed", code: responseCode === undefined ? code : `${code} ${responseCode}` };
}
