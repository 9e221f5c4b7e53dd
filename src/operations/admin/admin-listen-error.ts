// The error when the admin port cannot be opened. In a separate file, because importing node:http loads 1.5 MB that a server without this
// port never uses.

/** The port cannot be opened at this address. */
export class AdminListenError extends Error {
  override readonly name = "AdminListenError";
}
