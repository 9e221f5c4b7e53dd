#!/usr/bin/env node
// Where the process and each of its worker threads begin. JavaScript, alone among the sources: to strip the types of even one file Node
// loads a compiler, which takes 40 ms and holds 15 MB in each thread for as long as it runs. Every file that is imported from here on is
// found stripped and compiled from the second start on, which spares 0.3 s too, and the compiler with it.
import { enableCompileCache } from "node:module";
import { isMainThread } from "node:worker_threads";

enableCompileCache();
if (isMainThread) {
  await import("./main.ts");
} else if (process.argv[2] === "read") {
  await import("./store/sqlite/sqlite-reader-thread.ts");
} else {
  await import("./workers/worker-thread-entry.ts");
}
