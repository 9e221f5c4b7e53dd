// Keeps the TLS files' contents current: looks at the files every few seconds and hands on what is new. It compares contents, and not times or
// events of the file system, so it sees every way of renewal: files that are written or renamed, and Kubernetes' symbolic link to a new folder.
// https://kubernetes.io/docs/concepts/configuration/secret/#using-secrets-as-files-from-a-pod
import { readFileSync } from "node:fs";
import { expiryMsOf, loadTls, type TlsContents, type TlsFiles } from "../config/tls.ts";
import type { Clock } from "../runtime/clock.ts";
import { isoTime } from "../runtime/iso-time.ts";
import type { Log } from "../runtime/log.ts";

/** How often the files are looked at. */
export const LOOK_EVERY_MS = 5000;
const WARN_BEFORE_MS = 24 * 3_600_000;

/** What watching works with. */
export interface TlsWatchOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** The TLS files of a server. */
export class TlsWatch {
  readonly #files: TlsFiles;
  readonly #options: TlsWatchOptions;
  #contents: TlsContents;
  // What the files held at the last look, where that is not in use.
  #seen: string | undefined;
  // What was found faulty, so that it is logged once.
  #refused: string | undefined;
  #warnedOf: TlsContents | undefined;
  #cancel = (): void => {};

  /** Reads the files. Throws when they are faulty. */
  constructor(files: TlsFiles, options: TlsWatchOptions) {
    this.#files = files;
    this.#options = options;
    this.#contents = loadTls(files);
  }

  /** What is in use. */
  get contents(): TlsContents {
    return this.#contents;
  }

  /** Looks at the files from now on, and hands on what is new. */
  begin(use: (contents: TlsContents) => void): void {
    const { clock } = this.#options;
    const look = (): void => {
      this.#look(use);
      this.#warnBeforeExpiry();
      this.#cancel = clock.after(LOOK_EVERY_MS, look);
    };
    this.#warnBeforeExpiry();
    this.#cancel = clock.after(LOOK_EVERY_MS, look);
  }

  /** Looks no more. */
  end(): void {
    this.#cancel();
  }

  /** Reads the files now. Throws, and keeps what is in use, when they are faulty or the certificate has expired. */
  reload(): TlsContents {
    const contents = loadTls(this.#files);
    const expiresAtMs = expiryMsOf(contents);
    if (expiresAtMs <= this.#options.clock.nowMs() && contents.cert !== this.#contents.cert) {
      throw new Error(`QUINTET_TLS_CERT names "${this.#files.cert}", whose certificate expired at ${isoTime(expiresAtMs)}`);
    }
    this.#contents = contents;
    return contents;
  }

  // What is new is used when two looks have found the same: files that are being written are left alone.
  #look(use: (contents: TlsContents) => void): void {
    const { log } = this.#options;
    const found = this.#fingerprint();
    const { cert, key, clientCa } = this.#contents;
    const isNew = found !== JSON.stringify([cert, key, clientCa]) && found !== this.#refused;
    const isSettled = found === this.#seen;
    this.#seen = found;
    if (!isNew || !isSettled) {
      return;
    }
    try {
      use(this.reload());
      log.info({ expires_at: isoTime(expiryMsOf(this.#contents)) }, "the TLS files have changed and are in use");
    } catch (error) {
      this.#refused = found;
      log.error({ err: error }, "the TLS files have changed and are faulty; the ones read before stay in use");
    }
  }

  #fingerprint(): string {
    const { cert, key, clientCa } = this.#files;
    return JSON.stringify([cert, key, clientCa].map((path) => path && textOf(path)));
  }

  #warnBeforeExpiry(): void {
    const { clock, log } = this.#options;
    const expiresAtMs = expiryMsOf(this.#contents);
    if (expiresAtMs - clock.nowMs() < WARN_BEFORE_MS && this.#warnedOf !== this.#contents) {
      this.#warnedOf = this.#contents;
      log.warn({ expires_at: isoTime(expiresAtMs) }, "the server's certificate expires within a day, or has expired");
    }
  }
}

// Undefined for a file that cannot be read, which is one more thing that it may hold.
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
