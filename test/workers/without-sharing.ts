// A worker thread on a platform that cannot share ports, which reports that as Node does there.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  const [options] = args as [{ readonly reusePort?: boolean }];
  if (options.reusePort !== true) {
    return Reflect.apply(listen, this, args);
  }
  process.nextTick(() => this.emit("error", Object.assign(new Error("listen ENOTSUP"), { code: "ENOTSUP" })));
  return this;
} as typeof listen;
await import("./worker.ts");
