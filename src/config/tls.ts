// The TLS files: a certificate with its key, and for mutual TLS the authorities that sign the callers' certificates. They are read and
// checked before anything listens, so that a wrong file is reported at the start and not by a failed handshake later.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Environment } from "./environment.ts";

/** Where the files are. All are PEM. */
export interface TlsFiles {
  /** The server's certificate, followed by the intermediate ones. */
  readonly cert: string;
  /** The certificate's private key, not encrypted. */
  readonly key: string;
  /** The authorities that sign the callers' certificates; without it, callers need no certificate. */
  readonly clientCa: string | undefined;
}

/** What is wrong with a TLS file. */
interface TlsFault {
  /** The variable that names the file. */
  readonly variable: string;
  /** What is wrong, to stand after the variable's name. */
  readonly whatIsWrong: string;
}

const CERT = "QUINTET_TLS_CERT";
const KEY = "QUINTET_TLS_KEY";
const CLIENT_CA = "QUINTET_TLS_CLIENT_CA";

/** Reads where the files are, and records what is wrong with them as faults of the environment. Undefined without TLS. */
export function readTls(environment: Environment): TlsFiles | undefined {
  const cert = environment.optionalText(CERT, "The server's certificate chain, a PEM file. With it the port speaks TLS.");
  const key = environment.optionalText(KEY, "The certificate's private key, a PEM file.");
  const clientCa = environment.optionalText(CLIENT_CA, "Authorities that callers' certificates must be signed by, a PEM file.");
  for (const { variable, whatIsWrong } of examine({ cert, key, clientCa }).faults) {
    environment.fault(variable, whatIsWrong);
  }
  if (cert === undefined || key === undefined) {
    if (cert !== undefined || key !== undefined) {
      environment.fault(cert === undefined ? CERT : KEY, `must be set too, because ${cert === undefined ? KEY : CERT} is`);
    } else if (clientCa !== undefined) {
      environment.fault(CLIENT_CA, `needs ${CERT} and ${KEY}`);
    }
    return undefined;
  }
  return { cert, key, clientCa };
}

/** Reads the files. Throws an Error that names the variables and says what is wrong with each. */
export function loadTls(files: TlsFiles): { readonly cert: Buffer; readonly key: Buffer; readonly clientCa: Buffer | undefined } {
  const { cert, key, clientCa, faults } = examine(files);
  if (cert === undefined || key === undefined || faults.length > 0) {
    throw new Error(faults.map(({ variable, whatIsWrong }) => `${variable} ${whatIsWrong}`).join("; "));
  }
  return { cert, key, clientCa };
}

// The contents of the files, and everything that is wrong with them.
function examine(files: Readonly<Record<keyof TlsFiles, string | undefined>>) {
  const faults: TlsFault[] = [];
  const open = <Parsed>(variable: string, path: string | undefined, what: string, parse: (pem: Buffer) => Parsed) => {
    if (path === undefined) {
      return undefined;
    }
    let pem: Buffer;
    try {
      pem = readFileSync(path);
    } catch (thrown) {
      faults.push({ variable, whatIsWrong: `names "${path}", which cannot be read (${(thrown as NodeJS.ErrnoException).code})` });
      return undefined;
    }
    try {
      return { pem, parsed: parse(pem) };
    } catch {
      faults.push({ variable, whatIsWrong: `names "${path}", which does not hold ${what}` });
      return undefined;
    }
  };
  const cert = open(CERT, files.cert, "a PEM certificate", (pem) => new X509Certificate(pem));
  const key = open(KEY, files.key, "an unencrypted PEM private key", (pem) => createPrivateKey(pem));
  const clientCa = open(CLIENT_CA, files.clientCa, "a PEM certificate", (pem) => new X509Certificate(pem));
  if (cert !== undefined && key !== undefined && !cert.parsed.checkPrivateKey(key.parsed)) {
    faults.push({ variable: KEY, whatIsWrong: `names "${files.key}", which is not the key of the certificate in ${CERT}` });
  }
  return { cert: cert?.pem, key: key?.pem, clientCa: clientCa?.pem, faults };
}
