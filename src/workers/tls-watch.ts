// Keeps the TLS files' contents current: reads the files every few seconds and passes on new contents. It compares contents, not times or
// events of the file system, so it notices every kind of renewal: files that are written or renamed, and Kubernetes' symbolic link to a new
// folder. https://kubernetes.io/docs/concepts/configuration/secret/#using-secrets-as-files-from-a-pod
import { readFileSync } from "node:fs";
import { expiryMsOf, loadTls, type TlsContents, type TlsFiles } from "../config/tls.ts";
import type { Clock } from "../runtime/clock.ts";
import { isoTime } from "../runtime/iso-time.ts";
import type { Log } from "../runtime/log.ts";

/** How often the files are checked. */
export const CHECK_EVERY_MS = 5000;
const WARN_BEFORE_MS = 24 * 3_600_000;

interface TlsWatchOptions {
  readonly clock: Clock;
  readonly log: Log;
}

export class TlsWatch {
  readonly #files: TlsFiles;
  readonly #options: TlsWatchOptions;
  #contents: TlsContents;
  // The contents at the last check, if they are not in use.
  #seen: string | undefined;
  // The last faulty contents, so that they are logged only once.
  #refused: string | undefined;
  #warnedAbout: TlsContents | undefined;
  #cancel = (): void => {};

  /** Reads the files. Throws if they are faulty. */
  constructor(files: TlsFiles, options: TlsWatchOptions) {
    this.#files = files;
    this.#options = options;
    this.#contents = loadTls(files);
  }

  /** The contents in use. */
  get contents(): TlsContents {
    return this.#contents;
  }

  /** When the certificate in use expires, in milliseconds since the Unix epoch. */
  get expiresAtMs(): number {
    return expiryMsOf(this.#contents);
  }

  /** Checks the files from now on, and passes new contents to `use`. */
  begin(use: (contents: TlsContents) => void): void {
    const { clock } = this.#options;
    const checkAgain = (): void => {
      this.#check(use);
      this.#warnBeforeExpiry();
      this.#cancel = clock.after(CHECK_EVERY_MS, checkAgain);
    };
    this.#warnBeforeExpiry();
    this.#cancel = clock.after(CHECK_EVERY_MS, checkAgain);
  }

  end(): void {
    this.#cancel();
  }

  /** Reads the files now. If they are faulty or the certificate has expired, throws and keeps the contents in use. */
  reload(): TlsContents {
    const contents = loadTls(this.#files);
    const expiresAtMs = expiryMsOf(contents);
    if (expiresAtMs <= this.#options.clock.nowMs() && contents.cert !== this.#contents.cert) {
      throw new Error(`QUINTET_TLS_CERT names "${this.#files.cert}", whose certificate expired at ${isoTime(expiresAtMs)}`);
    }
    this.#contents = contents;
    return contents;
  }

  // New contents are used once two checks have found the same contents, so that files that are still being written are not used.
  #check(use: (contents: TlsContents) => void): void {
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
      log.error({ err: error }, "the TLS files have changed and are faulty; the previous ones stay in use");
    }
  }

  #fingerprint(): string {
    const { cert, key, clientCa } = this.#files;
    return JSON.stringify([cert, key, clientCa].map((path) => path && textOf(path)));
  }

  #warnBeforeExpiry(): void {
    const { clock, log } = this.#options;
    const expiresAtMs = expiryMsOf(this.#contents);
    if (expiresAtMs - clock.nowMs() < WARN_BEFORE_MS && this.#warnedAbout !== this.#contents) {
      this.#warnedAbout = this.#contents;
      log.warn({ expires_at: isoTime(expiresAtMs) }, "the server's certificate expires within a day, or has expired");
    }
  }
}

// Undefined if the file cannot be read; that is compared like any other contents.
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
