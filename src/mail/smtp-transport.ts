// Hands mails over by SMTP, with nodemailer, which is loaded only where mail is sent. Every step has a timeout, so that a server that says
// nothing holds nobody for long. What the server says is not passed on: it may repeat an address.
import type { MailConfig } from "../config/mail.ts";
import type { MailTransport, SendResult } from "./mail.ts";

/** How long a server may take to accept the connection, to greet, and to answer each command, in milliseconds. */
export interface SmtpTimeouts {
  readonly connectMs: number;
  readonly greetMs: number;
  readonly answerMs: number;
}

// nodemailer's codes for faults of the recipients and of the content.
const OF_THE_MAIL: ReadonlySet<string> = new Set(["EENVELOPE", "EMESSAGE"]);

/** Those of a server. */
const SMTP_TIMEOUTS: SmtpTimeouts = { connectMs: 10_000, greetMs: 10_000, answerMs: 20_000 };

/** Loads nodemailer and makes the transport. A connection is opened for each mail. */
export async function createSmtpTransport(config: MailConfig, timeouts = SMTP_TIMEOUTS): Promise<MailTransport> {
  const transporter = await transporterOf(config, timeouts);
  return {
    async send(mail) {
      try {
        await transporter.sendMail({
          from: config.from,
          ...mail,
          // One address as it is, not a list to be taken apart: an operator may have typed anything.
          to: { name: "", address: mail.to },
          // So that out-of-office programs do not answer. https://www.rfc-editor.org/rfc/rfc3834
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

/** Connects, encrypts and signs in as for a mail, and sends none. The answer is that to a mail. Never rejects. */
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

async function transporterOf({ smtp }: MailConfig, { connectMs, greetMs, answerMs }: SmtpTimeouts) {
  const { createTransport } = await import("nodemailer");
  const { host, port, isSecure, needsStartTls, credentials } = smtp;
  return createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: needsStartTls,
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: connectMs,
    greetingTimeout: greetMs,
    socketTimeout: answerMs,
    dnsTimeout: connectMs,
  });
}

// What a server says of the mail itself with 500 and above is final. All else an operator can mend.
function failureOf(error: unknown): SendResult {
  const { code = "UNKNOWN", responseCode } = error as { readonly code?: string; readonly responseCode?: number };
  const isFinal = responseCode !== undefined && responseCode >= 500 && OF_THE_MAIL.has(code);
  return { outcome: isFinal ? "refused" : "failed", code: responseCode === undefined ? code : `${code} ${responseCode}` };
}
