// An e-mail, and the interface through which e-mails are sent.

/** A plain-text e-mail. It may contain a token, so it is never logged. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /**
   * The message id, in angle brackets. It is the same for each attempt to send this e-mail, so that a mailbox can recognise a repeated one.
   * Generated if left out.
   */
  readonly messageId?: string;
}

/** The result of one attempt to send an e-mail. `refused`: the server will never accept it. `failed`: it may accept it later. */
export type SendResult = { readonly outcome: "sent" } | { readonly outcome: "refused" | "failed"; readonly code: string };

/** Sends e-mails through an SMTP server. */
export interface MailTransport {
  /** Tries once to send the e-mail, with timeouts. Never rejects. */
  send(mail: Mail): Promise<SendResult>;
  close(): void;
}
