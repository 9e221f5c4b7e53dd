// The TLS files: a certificate with its key, and for mutual TLS the authorities that sign the callers' certificates. They are read and
// checked before anything listens, so that a wrong file is a sentence at the start and not a failed handshake later.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { TlsOptions } from "node:tls";
import type { Environment } from "../config/environment.ts";
import type { ServerLimits } from "./limits.ts";

/** Where the files are. All are PEM. */
export interface TlsFiles {
  /** The server's certificate, followed by the intermediate ones. */
  readonly cert: string;
  /** The certificate's private key, not encrypted. */
  readonly key: string;
  /** Certificates of the authorities whose callers are let in; without it, callers need no certificate. */
  readonly clientCa: string | undefined;
}

/** What is in them. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly clientCa: Buffer | undefined;
}

/** A TLS file that cannot be used. */
class TlsFault extends Error {
  /** The variable that names the file. */
  readonly variable: string;
  /** What is wrong, to follow the variable's name. */
  readonly whatIsWrong: string;

  constructor(variable: string, whatIsWrong: string) {
    super(`${variable} ${whatIsWrong}`);
    this.name = "TlsFault";
    this.variable = variable;
    this.whatIsWrong = whatIsWrong;
  }
}

const CERT = "QUINTET_TLS_CERT";
const KEY = "QUINTET_TLS_KEY";
const CLIENT_CA = "QUINTET_TLS_CLIENT_CA";

/** Reads where the files are, and records as faults of the environment what is wrong with them. Undefined without TLS. */
export function readTls(environment: Environment): TlsFiles | undefined {
  const cert = environment.optionalText(CERT, "The server's certificate chain, a PEM file. With it the port speaks TLS.");
  const key = environment.optionalText(KEY, "The certificate's private key, a PEM file.");
  const clientCa = environment.optionalText(CLIENT_CA, "Authorities that callers' certificates must be signed by, a PEM file.");
  if (cert === undefined || key === undefined) {
    if (cert !== undefined || key !== undefined) {
      environment.fault(cert === undefined ? CERT : KEY, `must be set too, because ${cert === undefined ? KEY : CERT} is`);
    } else if (clientCa !== undefined) {
      environment.fault(CLIENT_CA, `needs ${CERT} and ${KEY}`);
    }
    return undefined;
  }
  const files = { cert, key, clientCa };
  try {
    loadTls(files);
  } catch (thrown) {
    if (!(thrown instanceof TlsFault)) {
      throw thrown;
    }
    environment.fault(thrown.variable, thrown.whatIsWrong);
  }
  return files;
}

/** Reads the files. Throws an Error that names the variable and says what is wrong. */
export function loadTls(files: TlsFiles): TlsMaterial {
  const cert = read(CERT, files.cert);
  const key = read(KEY, files.key);
  const clientCa = files.clientCa === undefined ? undefined : read(CLIENT_CA, files.clientCa);
  const certificate = parse(CERT, files.cert, "a PEM certificate", () => new X509Certificate(cert));
  const privateKey = parse(KEY, files.key, "an unencrypted PEM private key", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsFault(KEY, `names "${files.key}", which is not the key of the certificate in ${CERT}`);
  }
  if (clientCa !== undefined) {
    parse(CLIENT_CA, files.clientCa, "a PEM certificate", () => new X509Certificate(clientCa));
  }
  return { cert, key, clientCa };
}

/** How a listener uses them: TLS 1.2 and up, HTTP/2 before HTTP/1.1, and callers' certificates where authorities are given. */
export function tlsOptions({ cert, key, clientCa }: TlsMaterial, limits: ServerLimits): TlsOptions {
  return {
    cert,
    key,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: limits.firstByteTimeoutMs,
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  };
}

function read(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    throw new TlsFault(variable, `names "${path}", which cannot be read (${(thrown as NodeJS.ErrnoException).code})`);
  }
}

function parse<Parsed>(variable: string, path: string | undefined, what: string, attempt: () => Parsed): Parsed {
  try {
    return attempt();
  } catch {
    throw new TlsFault(variable, `names "${path}", which does not hold ${what}`);
  }
}
