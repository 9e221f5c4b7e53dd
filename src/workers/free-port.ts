// Worker threads share their port. They would also share it with another server of the same user, which would then get some of the calls.
// So before they listen, the main thread checks that the port is not in use. It does so by connecting: if it listened for a moment, callers
// who connect at that moment would be cut off, as they often do when a server restarts.
import { connect } from "node:net";
import { networkInterfaces } from "node:os";

const CONNECT_MS_MAX = 1000;

/** Rejects with an EADDRINUSE, like the system's, if another process listens on the port. Port 0 is always free. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) {
    return;
  }
  const accepted = await Promise.all(addressesOf(host).map((address) => acceptsConnection(address, port)));
  if (accepted.includes(true)) {
    throw Object.assign(new Error(`listen EADDRINUSE: address already in use ${host.includes(":") ? `[${host}]` : host}:${port}`), {
      code: "EADDRINUSE",
    });
  }
}

// The host itself, or all of this machine's addresses if the host stands for all of them.
function addressesOf(host: string): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  switch (host) {
    case "0.0.0.0":
      return all.flatMap(({ family, address }) => (family === "IPv4" ? address : []));
    case "::":
      return all.flatMap(({ address, scopeid }) => (scopeid ? [] : address));
    default:
      return [host];
  }
}

function acceptsConnection(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS_MAX });
    const end = (isAccepted: boolean): void => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.once("connect", () => end(true));
    // A listener whose queue is full does not respond. If this process itself was stalled, the response has arrived and is read after its
    // timers.
    socket.once("timeout", () => setImmediate(end, true));
    socket.once("error", () => end(false));
  });
}
