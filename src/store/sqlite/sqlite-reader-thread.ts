// The thread that reads the embedded database. It runs one query after another, in order.
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { ReaderQuery, ReaderResult } from "./sqlite-reader.ts";

// This thread does nothing else, so it can wait for a process that has locked the database.
const BUSY_TIMEOUT_MS = 1000;

const database = new DatabaseSync(workerData as string, { readOnly: true, timeout: BUSY_TIMEOUT_MS });

function result({ sql, parameters }: ReaderQuery): ReaderResult {
  try {
    return { rows: database.prepare(sql).all(...(parameters as SQLInputValue[])) };
  } catch (error) {
    const { message, errcode } = error as Error & { readonly errcode?: number };
    return { message, errcode };
  }
}

parentPort?.on("message", (query: ReaderQuery) => parentPort?.postMessage(result(query)));
