// The TLS files: what is wrong with them is reported with the variable that names them, before anything listens.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConfigError, Environment } from "../../src/config/environment.ts";
import { loadTls, readTls } from "../../src/config/tls.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

const path = (name: string): string => join(import.meta.dirname, "../../packages/http/test/certificates", name);

test("a key that OpenSSL considers too short is reported at startup, not later", () => {
  const at = temporaryDirectory();
  const [cert, key] = [join(at, "cert.pem"), join(at, "key.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:512", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
  execFileSync("openssl", [...request, "-keyout", key, "-out", cert], { stdio: "ignore" });
  expect(() => loadTls({ cert, key, clientCa: undefined, clientCerts: "off" })).toThrow(
    `QUINTET_TLS_CERT names "${cert}", which TLS cannot use (ERR_SSL_EE_KEY_TOO_SMALL)`,
  );
});

describe("the TLS files", () => {
  const faultsOf = (variables: Record<string, string>): readonly string[] => {
    const environment = new Environment(variables);
    readTls(environment);
    try {
      environment.finish();
      return [];
    } catch (thrown) {
      return (thrown as ConfigError).faults;
    }
  };
  const cert = path("server.pem");
  const key = path("server.key");
  const readme = path("README.md");

  test.each([
    { variables: {}, faults: [] },
    { variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: key }, faults: [] },
    { variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: key, QUINTET_TLS_CLIENT_CA: path("authority.pem") }, faults: [] },
    { variables: { QUINTET_TLS_CERT: cert }, faults: ["QUINTET_TLS_KEY must be set too, because QUINTET_TLS_CERT is"] },
    { variables: { QUINTET_TLS_KEY: key }, faults: ["QUINTET_TLS_CERT must be set too, because QUINTET_TLS_KEY is"] },
    { variables: { QUINTET_TLS_CLIENT_CA: cert }, faults: ["QUINTET_TLS_CLIENT_CA needs QUINTET_TLS_CERT and QUINTET_TLS_KEY"] },
    {
      variables: { QUINTET_TLS_CERT: "/none", QUINTET_TLS_KEY: key },
      faults: ['QUINTET_TLS_CERT names "/none", which cannot be read (ENOENT)'],
    },
    {
      variables: { QUINTET_TLS_CERT: readme, QUINTET_TLS_KEY: key },
      faults: [`QUINTET_TLS_CERT names "${readme}", which does not contain a PEM certificate`],
    },
    {
      variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: readme },
      faults: [`QUINTET_TLS_KEY names "${readme}", which does not contain an unencrypted PEM private key`],
    },
    {
      variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: path("renewed.key") },
      faults: [`QUINTET_TLS_KEY names "${path("renewed.key")}", which is not the key of the certificate in QUINTET_TLS_CERT`],
    },
    {
      variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: key, QUINTET_TLS_CLIENT_CA: key },
      faults: [`QUINTET_TLS_CLIENT_CA names "${key}", which does not contain a PEM certificate`],
    },
    {
      variables: { QUINTET_TLS_CERT: "/none", QUINTET_TLS_KEY: "/", QUINTET_TLS_CLIENT_CA: readme },
      faults: [
        'QUINTET_TLS_CERT names "/none", which cannot be read (ENOENT)',
        'QUINTET_TLS_KEY names "/", which cannot be read (EISDIR)',
        `QUINTET_TLS_CLIENT_CA names "${readme}", which does not contain a PEM certificate`,
      ],
    },
    {
      variables: { QUINTET_TLS_CERT: "/none" },
      faults: [
        'QUINTET_TLS_CERT names "/none", which cannot be read (ENOENT)',
        "QUINTET_TLS_KEY must be set too, because QUINTET_TLS_CERT is",
      ],
    },
  ])("given as $variables have the faults $faults", ({ variables, faults }) => {
    expect(faultsOf(variables)).toEqual(faults);
  });
});
