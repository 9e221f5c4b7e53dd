// Worker threads share their port. They would also share it with another server of the same user, which would then answer some of the calls. So
// before they listen, the main thread checks that nobody else has the port.
import { createServer } from "node:net";

/** Rejects with the system's EADDRINUSE when somebody has the port. Port 0 is always free. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) {
    return;
  }
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
