// An error that ends the whole connection. https://www.rfc-editor.org/rfc/rfc9113#section-5.4.1

/** The peer has broken the protocol or exceeded a limit. The connection ends with a GOAWAY that has this code and message. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
