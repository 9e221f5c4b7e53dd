// The TLS files: a certificate with its key and, for mutual TLS, the CAs of client certificates. They are read and checked before
// anything listens, so that a wrong file is reported at the start and not by a failed handshake later.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Environment } from "./environment.ts";

/**
 * Whether clients are asked for a certificate. `off`: no. `request`: yes; clients without one are still served, and a bad one is
 * refused. `require`: clients without one are refused.
 */
type ClientCertPolicy = (typeof CLIENT_CERT_POLICIES)[number];

const CLIENT_CERT_POLICIES = ["off", "request", "require"] as const;

/** The paths of the files. All are PEM. */
export interface TlsFiles {
  /** The server's certificate, followed by the intermediate ones. */
  readonly cert: string;
  /** The certificate's private key, unencrypted. */
  readonly key: string;
  /** The CAs that sign client certificates. */
  readonly clientCa: string | undefined;
  /** `off` without `clientCa`. */
  readonly clientCerts: ClientCertPolicy;
}

/** The contents of the files as text, and how they are used. */
export interface TlsContents {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
  readonly clientCerts: ClientCertPolicy;
}

interface TlsFault {
  /** The variable that names the file. */
  readonly variable: string;
  /** What is wrong, to follow the variable's name. */
  readonly description: string;
}

const CERT = "QUINTET_TLS_CERT";
const KEY = "QUINTET_TLS_KEY";
const CLIENT_CA = "QUINTET_TLS_CLIENT_CA";
const CLIENT_CERTS = "QUINTET_TLS_CLIENT_CERTS";

/** Reads the paths, and records what is wrong with the files as faults of the environment. Undefined without TLS. */
export function readTls(environment: Environment): TlsFiles | undefined {
  const cert = environment.optionalText(CERT, "The server's certificate chain, a PEM file. With it the port speaks TLS.");
  const key = environment.optionalText(KEY, "The certificate's private key, a PEM file.");
  const clientCa = environment.optionalText(CLIENT_CA, "The authorities that must have signed callers' certificates, a PEM file.");
  const policy = environment.optionalChoice(
    CLIENT_CERTS,
    CLIENT_CERT_POLICIES,
    "Whether callers are asked for a certificate: `off`; `request`, which also serves those without one; or `require`. If not " +
      "set: `require` with `QUINTET_TLS_CLIENT_CA`, and `off` without.",
  );
  for (const { variable, description } of examine({ cert, key, clientCa }).faults) {
    environment.fault(variable, description);
  }
  if (clientCa === undefined && policy !== undefined && policy !== "off") {
    environment.fault(CLIENT_CERTS, `can only be ${policy} if ${CLIENT_CA} names the authorities of the callers' certificates`);
  }
  if (cert === undefined || key === undefined) {
    if (cert !== undefined || key !== undefined) {
      environment.fault(cert === undefined ? CERT : KEY, `must be set too, because ${cert === undefined ? KEY : CERT} is`);
    } else if (clientCa !== undefined) {
      environment.fault(CLIENT_CA, `needs ${CERT} and ${KEY}`);
    }
    return undefined;
  }
  return { cert, key, clientCa, clientCerts: clientCa === undefined ? "off" : (policy ?? "require") };
}

/** Reads the files. Throws an Error that names the variables and says what is wrong with each. */
export function loadTls(files: TlsFiles): TlsContents {
  const { cert, key, clientCa, faults } = examine(files);
  if (cert === undefined || key === undefined || faults.length > 0) {
    throw new Error(faults.map(({ variable, description }) => `${variable} ${description}`).join("; "));
  }
  return { cert, key, clientCa, clientCerts: files.clientCerts };
}

/** When the server's certificate expires, in milliseconds since the epoch. */
export const expiryMsOf = ({ cert }: TlsContents): number => new X509Certificate(cert).validToDate.getTime();

// The contents of the files, and everything wrong with them.
function examine(files: Readonly<Record<"cert" | "key" | "clientCa", string | undefined>>) {
  const faults: TlsFault[] = [];
  const open = <Parsed>(variable: string, path: string | undefined, what: string, parse: (pem: string) => Parsed) => {
    if (path === undefined) {
      return undefined;
    }
    let pem: string;
    try {
      pem = readFileSync(path, "utf8");
    } catch (thrown) {
      faults.push({ variable, description: `names "${path}", which cannot be read (${(thrown as NodeJS.ErrnoException).code})` });
      return undefined;
    }
    try {
      return { pem, parsed: parse(pem) };
    } catch {
      faults.push({ variable, description: `names "${path}", which does not contain ${what}` });
      return undefined;
    }
  };
  const cert = open(CERT, files.cert, "a PEM certificate", readCertificates);
  const key = open(KEY, files.key, "an unencrypted PEM private key", (pem) => createPrivateKey(pem));
  const clientCa = open(CLIENT_CA, files.clientCa, "a PEM certificate", readCertificates);
  if (cert !== undefined && key !== undefined && !cert.parsed.checkPrivateKey(key.parsed)) {
    faults.push({ variable: KEY, description: `names "${files.key}", which is not the key of the certificate in ${CERT}` });
  }
  const contents = { cert: cert?.pem, key: key?.pem, clientCa: clientCa?.pem };
  const description = faults.length === 0 && cert !== undefined && key !== undefined ? unusable(contents) : undefined;
  return {
    ...contents,
    faults: description === undefined ? faults : [{ variable: CERT, description: `names "${files.cert}", ${description}` }],
  };
}

// What OpenSSL would complain about on use, such as a key that is too short.
function unusable({ cert, key, clientCa }: Readonly<Record<"cert" | "key" | "clientCa", string | undefined>>): string | undefined {
  try {
    createSecureContext({ cert, key, ca: clientCa });
    return undefined;
  } catch (thrown) {
    return `which TLS cannot use (${(thrown as NodeJS.ErrnoException).code ?? "unknown"})`;
  }
}

const BEGIN = "-----BEGIN CERTIFICATE-----";

// Parses every certificate, because OpenSSL silently skips those that it cannot read, and a half-written file would lose CAs.
// Returns the first.
function readCertificates(pem: string): X509Certificate {
  for (const rest of pem.split(BEGIN).slice(2)) {
    new X509Certificate(BEGIN + rest);
  }
  return new X509Certificate(pem);
}
