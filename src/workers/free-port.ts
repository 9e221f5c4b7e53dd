// Threads that share a port would share it with another server of the same user too, which then answers some of the calls. So before they
// listen somebody tries to have the port alone.
import { createServer } from "node:net";

/** Rejects, as listening does, when somebody has the port. Port 0 is always free. */
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
