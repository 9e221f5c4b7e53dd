import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TlsFiles } from "../../src/config/tls.ts";
import type { Log } from "../../src/runtime/log.ts";
import { CHECK_EVERY_MS, TlsWatch } from "../../src/workers/tls-watch.ts";
import { type Certified, makeAuthority } from "../fixtures/certificates.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

const FAULTY = "the TLS files have changed and are faulty; the previous ones stay in use";
const IN_USE = "the TLS files have changed and are in use";

// A watch over files in a folder as Kubernetes mounts it: links to files below `..data`, which is a link to the folder with the files.
function scene() {
  const authority = makeAuthority();
  const certify = (days = 2): Certified => authority.certify({ names: "DNS:localhost", holder: "server", days });
  const first = certify();
  const folder = temporaryDirectory();
  const at = (name: string): string => join(folder, name);
  let version = 0;
  // Kubernetes makes a new folder, and then replaces the link to the old one by renaming a new link.
  const swap = ({ cert, key }: Certified): void => {
    version += 1;
    mkdirSync(at(`..${version}`));
    writeFileSync(at(`..${version}/tls.crt`), cert);
    writeFileSync(at(`..${version}/tls.key`), key);
    symlinkSync(`..${version}`, at("..next"));
    renameSync(at("..next"), at("..data"));
    rmSync(at(`..${version - 1}`), { recursive: true, force: true });
  };
  swap(first);
  for (const name of ["tls.crt", "tls.key"]) {
    symlinkSync(`..data/${name}`, at(name));
  }
  const files: TlsFiles = { cert: at("tls.crt"), key: at("tls.key"), clientCa: authority.certPath, clientCerts: "require" };
  const logged: string[] = [];
  const write = (_: unknown, text?: string): void => void logged.push(text ?? "");
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const clock = createManualClock({ nowMs: Date.now() });
  const watch = new TlsWatch(files, { clock, log });
  const used: string[] = [];
  watch.begin(({ cert }) => used.push(cert));
  return { authority, certify, first, at, swap, watch, used, logged, look: () => clock.advance(CHECK_EVERY_MS), clock };
}

describe("TLS files that change", () => {
  test("are used once, after two checks have found the same files", () => {
    const { certify, swap, used, logged, look, watch } = scene();
    const next = certify();
    look();
    swap(next);
    look();
    const afterOne = [...used];
    for (let times = 0; times < 3; times++) {
      look();
    }
    expect({ afterOne, used, logged, inUse: watch.contents.cert }).toEqual({
      afterOne: [],
      used: [next.cert],
      logged: [IN_USE],
      inUse: next.cert,
    });
  });

  test("are used if they are overwritten in place, whatever their times", () => {
    const { certify, at, used, look } = scene();
    const next = certify();
    writeFileSync(at("..data/tls.crt"), next.cert);
    writeFileSync(at("..data/tls.key"), next.key);
    look();
    look();
    expect(used).toEqual([next.cert]);
  });

  test("are not used while they are being written", () => {
    const { certify, at, used, logged, look } = scene();
    const next = certify();
    // The certificate is written before its key.
    writeFileSync(at("..data/tls.crt"), next.cert);
    look();
    writeFileSync(at("..data/tls.key"), next.key);
    look();
    look();
    expect([used, logged]).toEqual([[next.cert], [IN_USE]]);
  });

  test.for<[what: string, spoil: (created: ReturnType<typeof scene>) => void]>([
    ["that are incomplete", ({ at, first }) => writeFileSync(at("..data/tls.crt"), first.cert.slice(0, 200))],
    ["whose key does not match", ({ at, certify }) => writeFileSync(at("..data/tls.key"), certify().key)],
    ["that are gone", ({ at }) => rmSync(at("..data"))],
    ["whose certificate has expired", ({ swap, certify }) => swap(certify(-1))],
    [
      "whose authorities are cut short",
      ({ authority }) => writeFileSync(authority.certPath, authority.cert + authority.cert.slice(0, 300)),
    ],
  ])("%s are not used and are logged once, and the next valid ones are used", ([, spoil]) => {
    const created = scene();
    const { certify, first, swap, used, logged, look, watch, authority } = created;
    spoil(created);
    for (let times = 0; times < 5; times++) {
      look();
    }
    const meanwhile = watch.contents.cert === first.cert;
    const next = certify();
    writeFileSync(authority.certPath, authority.cert);
    rmSync(created.at("..data"), { force: true });
    swap(next);
    look();
    look();
    expect({ meanwhile, used, logged }).toEqual({ meanwhile: true, used: [next.cert], logged: [FAULTY, IN_USE] });
  });

  test("are read and refused immediately on request", () => {
    const { certify, at, swap, watch, used, look } = scene();
    const next = certify();
    writeFileSync(at("..data/tls.key"), next.key);
    expect(() => watch.reload()).toThrow("QUINTET_TLS_KEY names");
    swap(next);
    expect(watch.reload().cert).toBe(next.cert);
    look();
    look();
    expect(used).toEqual([]);
  });

  test("are not checked after the watch has ended", () => {
    const { watch, clock } = scene();
    watch.end();
    expect(clock.pending).toBe(0);
  });
});

test("a certificate that is about to expire is logged once", () => {
  const { certify, swap, logged, look, clock } = scene();
  clock.advance(86_400_000 + 60_000);
  const before = [...logged];
  swap(certify(4));
  look();
  look();
  look();
  expect([before, logged.slice(1)]).toEqual([["the server's certificate expires within a day, or has expired"], [IN_USE]]);
});
