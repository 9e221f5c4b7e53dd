// Reads whether and how the server sends mail.
import type { Environment } from "./environment.ts";
import { LOOPBACK, publicUrlFault } from "./public-url.ts";

interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** Whether the connection uses TLS from its first byte. */
  readonly isSecure: boolean;
  /** Whether nothing is sent before STARTTLS has encrypted the connection. */
  readonly needsStartTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

export interface MailConfig {
  readonly smtp: SmtpConfig;
  /** The sender of e-mails: an address, or a name and an address in angle brackets. */
  readonly from: string;
  /** The origin of the links in e-mails, such as `https://api.example.com`. */
  readonly publicUrl: string;
}

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const FROM = /^(?:[^<>\p{Cc}]{1,100}<[!-;=?-~]{1,64}@[!-;=?-~]{1,189}>|[!-;=?-~]{1,64}@[!-;=?-~]{1,189})$/u;

/** Undefined if no mail is sent. `publicUrl` is where customers reach the server. */
export function readMailConfig(environment: Environment, publicUrl: string | undefined): MailConfig | undefined {
  const url = environment.optionalText(
    "QUINTET_SMTP_URL",
    "The SMTP server that mail is sent through, such as `smtp://user:password@smtp.example.com:587`, or `smtps://` for TLS from the first byte. " +
      "User and password are percent-encoded, and are sent only over TLS, except to this machine. If not set, no mail is sent: " +
      "addresses are not verified, and operators reset forgotten passwords.",
  );
  const from = environment.optionalText(
    "QUINTET_MAIL_FROM",
    "The sender of e-mails, such as `Quintet <no-reply@example.com>`. Needed with `QUINTET_SMTP_URL`.",
  );
  if (url === undefined) {
    return undefined;
  }
  const smtp = smtpOf(url);
  if (smtp === undefined) {
    // The URL may contain a password, so the fault does not repeat it.
    environment.fault(
      "QUINTET_SMTP_URL",
      "must be an smtp or smtps URL without a path, such as smtp://user:password@smtp.example.com:587",
    );
  }
  if (from === undefined || !FROM.test(from)) {
    environment.fault(
      "QUINTET_MAIL_FROM",
      "must be an e-mail address like name@example.com, or a name followed by one in angle brackets",
    );
  }
  if (publicUrl === undefined) {
    publicUrlFault(environment);
  }
  return smtp && from !== undefined && publicUrl !== undefined ? { smtp, from, publicUrl } : undefined;
}

function smtpOf(text: string): SmtpConfig | undefined {
  const url = URL.parse(text);
  if (
    url === null ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === "" ||
    url.pathname.length > 1 ||
    url.search + url.hash !== ""
  ) {
    return undefined;
  }
  const isSecure = url.protocol === "smtps:";
  try {
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    if ((user === "") !== (password === "")) {
      return undefined;
    }
    return {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? (isSecure ? SMTPS_PORT : SMTP_PORT) : Number(url.port),
      isSecure,
      needsStartTls: !isSecure && user !== "" && !LOOPBACK.test(url.hostname),
      credentials: user === "" ? undefined : { user, password },
    };
  } catch {
    return undefined;
  }
}
