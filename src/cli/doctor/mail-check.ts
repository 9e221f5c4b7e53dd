// Checks that mail can be sent: connects to the SMTP server, encrypts and signs in, but sends nothing.
import type { MailConfig } from "../../config/mail.ts";
import { type SmtpTimeouts, trySmtpServer } from "../../mail/smtp-transport.ts";
import { type Finding, fail, ok } from "./finding.ts";

/** The findings, which contain neither the user nor the password. */
export async function checkMail(config: MailConfig, timeouts?: SmtpTimeouts): Promise<Finding> {
  const { host, port } = config.smtp;
  const server = `${host}:${port}`;
  const result = await trySmtpServer(config, timeouts);
  return result.outcome === "sent"
    ? ok("mail", `${server} accepts mail`)
    : fail(
        "mail",
        `${server} does not accept mail (${result.code})`,
        "Check QUINTET_SMTP_URL, and whether this machine can reach the server.",
      );
}
