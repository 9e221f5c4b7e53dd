// A name for each open socket.
import type { Socket } from "node:net";

/** Unique among open connections. A TLS socket has the same name as the socket below it. */
export const socketName = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
