// Checks that mail can be sent: connects to the SMTP server, encrypts and signs in, but sends nothing.
import type { MailConfig } from "../../config/mail.ts";
import { CERTIFICATE_FAULT, type SmtpTimeouts, trySmtpServer } from "../../mail/smtp-transport.ts";
import { type Finding, fail, ok } from "./finding.ts";

/** The findings, which contain neither the user nor the password. */
export async function checkMail(config: MailConfig, timeouts?: SmtpTimeouts): Promise<Finding> {
  const { host, port } = config.smtp;
  const server = `${host}:${port}`;
  const result = await trySmtpServer(config, timeouts);
  if (result.outcome === "sent") {
    return ok("mail", `${server} accepts mail`);
  }
  return fail(
    "mail",
    `${server} does not accept mail (${result.code})`,
    result.code === CERTIFICATE_FAULT
      ? "The server's certificate is not trusted, has expired, or is for another name. Check its name in QUINTET_SMTP_URL, or let Node trust its authority with NODE_EXTRA_CA_CERTS."
      : "Check QUINTET_SMTP_URL, and whether this machine can reach the server.",
  );
}
