// Reads whether and how the server sends mail.
import type { Environment } from "./environment.ts";

/** Where mail is handed over. */
interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** Whether the connection is TLS from its first byte. */
  readonly isSecure: boolean;
  /** Whether nothing is said before STARTTLS has encrypted the connection. */
  readonly needsStartTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

/** How mail is sent. */
export interface MailConfig {
  readonly smtp: SmtpConfig;
  /** Whom mails are from: an address, or a name and an address in angle brackets. */
  readonly from: string;
  /** The origin of the links in mails, such as `https://api.example.com`. */
  readonly publicUrl: string;
}

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const FROM = /^(?:[^<>\p{Cc}]{1,100}<[!-;=?-~]{1,64}@[!-;=?-~]{1,189}>|[!-;=?-~]{1,64}@[!-;=?-~]{1,189})$/u;

/** Reads it; undefined where no mail is sent. */
export function readMailConfig(environment: Environment): MailConfig | undefined {
  const url = environment.optionalText(
    "QUINTET_SMTP_URL",
    "The SMTP server that mail is sent through, such as `smtp://user:password@smtp.example.com:587`, or `smtps://` for TLS from the first byte. " +
      "User and password are percent-encoded, and are sent over TLS alone, but for the own machine. When it is not set no mail is sent: " +
      "addresses are not verified, and operators set forgotten passwords.",
  );
  const from = environment.optionalText(
    "QUINTET_MAIL_FROM",
    "Whom mails are from, such as `Quintet <no-reply@example.com>`. Needed with `QUINTET_SMTP_URL`.",
  );
  const publicUrl = environment.optionalText(
    "QUINTET_PUBLIC_URL",
    "Where customers reach this server, such as `https://api.example.com`: the links in mails lead there. Needed with `QUINTET_SMTP_URL`.",
  );
  if (url === undefined) {
    return undefined;
  }
  const smtp = smtpOf(url);
  if (smtp === undefined) {
    // It may hold a password, so the fault does not repeat it.
    environment.fault(
      "QUINTET_SMTP_URL",
      "must be an smtp or smtps URL without a path, such as smtp://user:password@smtp.example.com:587",
    );
  }
  if (from === undefined || !FROM.test(from)) {
    environment.fault(
      "QUINTET_MAIL_FROM",
      "must be an e-mail address such as no-reply@example.com, or a name with it in angle brackets",
    );
  }
  const origin = originOf(publicUrl);
  if (origin === undefined) {
    environment.fault(
      "QUINTET_PUBLIC_URL",
      "must be an https URL without a path, such as https://api.example.com; http is for the own machine alone",
    );
  }
  return smtp && from !== undefined && origin !== undefined ? { smtp, from, publicUrl: origin } : undefined;
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

function originOf(text: string | undefined): string | undefined {
  const url = URL.parse(text ?? "");
  if (url === null || url.pathname !== "/" || url.search + url.hash + url.username !== "") {
    return undefined;
  }
  const isOwnMachine = url.protocol === "http:" && LOOPBACK.test(url.hostname);
  return url.protocol === "https:" || isOwnMachine ? url.origin : undefined;
}
