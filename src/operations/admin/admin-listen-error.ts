// Why the admin port is not there. In a file of its own: to import node:http loads 1.5 MB of Node, which a server without this port never uses.

/** The address cannot be had. */
export class AdminListenError extends Error {
  override readonly name = "AdminListenError";
}
