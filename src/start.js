#!/usr/bin/env node
// The first file of the process and of each thread. It is the only source in JavaScript: to strip the types of even one file, Node loads a
// compiler, which takes 40 ms and holds 15 MB in each thread for as long as it runs. From the second start on, every file imported from
// here is found stripped and compiled in the cache, which saves another 0.3 s and the compiler. An older Node lacks part of this module, so
// its names are looked up below, once it is known that they are there.
import * as modules from "node:module";
import { isMainThread } from "node:worker_threads";

const NODE_MAJOR_MIN = 24;

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  process.stderr.write(`quintet: Quintet needs Node.js ${NODE_MAJOR_MIN} or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}
modules.enableCompileCache();
if (isMainThread) {
  await import("./main.ts");
} else if (process.argv[2] === "read") {
  await import("./store/sqlite/sqlite-reader-thread.ts");
} else {
  const { beginWorkerThread } = await import("./workers/worker-thread-entry.ts");
  await beginWorkerThread();
}
