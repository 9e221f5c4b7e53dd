// Syncs the write-ahead log to the disk from another thread, so that the thread that serves calls does not wait for the disk. A commit with
// `synchronous = NORMAL` only writes to the log; once the log has been synced, it is as durable as with FULL:
// https://sqlite.org/pragma.html#pragma_synchronous
import { type FileHandle, open } from "node:fs/promises";

/** The disk did not accept the log. What was committed can be lost by a power cut. */
export class SyncFailed extends Error {
  override readonly name = "SyncFailed";
}

interface LogSyncOptions {
  /** The log's file. It stays the same for as long as a connection to the database is open. */
  readonly path: string;
  /**
   * Merges the whole log into the database and syncs the database, so that no commit depends on the log any more. Returns whether it
   * succeeded; never throws.
   */
  readonly emptyLog: () => boolean;
}

export class LogSync {
  readonly #options: LogSyncOptions;
  #file: FileHandle | undefined;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  // Whether a sync has failed, and the log has not been emptied since. The system reports a failed write only once, so a later sync may
  // succeed although a part of the log was lost, and everything after that part would be lost with it.
  #isDamaged = false;

  constructor(options: LogSyncOptions) {
    this.#options = options;
  }

  /** Resolves when everything committed before this call is on the disk. Calls share a sync. Rejects with SyncFailed. */
  sync(): Promise<void> {
    // A sync under way may have begun before the caller's commit.
    this.#next ??= this.#after(this.#underWay);
    return this.#next;
  }

  /** Waits for the syncs under way, and closes the file. Never rejects. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#underWay, this.#next]);
    await this.#file?.close().catch(() => {});
  }

  async #after(previous: Promise<void> | undefined): Promise<void> {
    // Also lets the commits of this turn of the event loop share the sync.
    await Promise.allSettled([previous]);
    this.#underWay = this.#next;
    this.#next = undefined;
    try {
      await this.#syncNow();
    } finally {
      if (this.#next === undefined) {
        this.#underWay = undefined;
      }
    }
  }

  async #syncNow(): Promise<void> {
    if (this.#isDamaged && !this.#emptyLog()) {
      throw new SyncFailed("the write-ahead log cannot be emptied after a failed sync");
    }
    try {
      this.#file ??= await open(this.#options.path, "r+");
      await this.#file.datasync();
    } catch (cause) {
      this.#isDamaged = true;
      if (!this.#emptyLog()) {
        throw new SyncFailed("the write-ahead log cannot be synced", { cause });
      }
    }
  }

  #emptyLog(): boolean {
    this.#isDamaged = !this.#options.emptyLog();
    return !this.#isDamaged;
  }
}
