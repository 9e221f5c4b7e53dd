// A name for each open socket.
import type { Socket } from "node:net";

/** No other open connection has the same four. A TLS socket has the addresses and ports of the socket below it. */
export const socketName = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
