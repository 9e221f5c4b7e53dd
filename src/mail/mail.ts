// A mail, and who sends it.

/** A mail of plain text. It may hold a token, so it is never logged. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** What came of one attempt to hand a mail over. `refused`: the server will never take it. `failed`: it may take it later. */
export type SendResult = { readonly outcome: "sent" } | { readonly outcome: "refused" | "failed"; readonly code: string };

/** Hands mails over to an SMTP server. */
export interface MailTransport {
  /** Tries once, and gives up after a while. Never rejects. */
  send(mail: Mail): Promise<SendResult>;
  /** Closes its connections. */
  close(): void;
}
