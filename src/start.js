#!/usr/bin/env node
// The first file of the process and of each thread. It is JavaScript, alone among the sources: to strip the types of even one file, Node loads a
// compiler, which takes 40 ms and holds 15 MB in each thread for as long as it runs. From the second start on, every file imported from here
// is found stripped and compiled in the cache, which saves another 0.3 s and the compiler.
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
