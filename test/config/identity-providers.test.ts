import { describe, expect, test } from "vitest";
import { Environment } from "../../src/config/environment.ts";
import { readIdentityProviders } from "../../src/config/identity-providers.ts";
import { readPublicUrl } from "../../src/config/public-url.ts";

const PUBLIC = { QUINTET_PUBLIC_URL: "https://api.example.com" };
const GOOGLE = { QUINTET_GOOGLE_CLIENT_ID: "id", QUINTET_GOOGLE_CLIENT_SECRET: "secret" };
const OWN = {
  QUINTET_OIDC_ISSUER: "https://login.example.com/realm/",
  QUINTET_OIDC_CLIENT_ID: "id",
  QUINTET_OIDC_CLIENT_SECRET: "secret",
};

const read = (variables: Readonly<Record<string, string>>) => {
  const environment = new Environment(variables);
  return { providers: readIdentityProviders(environment, readPublicUrl(environment)), check: () => environment.finish() };
};

describe("providers", () => {
  test("are none by default", () => {
    expect(read({}).providers).toEqual([]);
  });

  test("are those that are set, and an issuer is kept as it is written", () => {
    const { providers, check } = read({ ...PUBLIC, ...GOOGLE, ...OWN, QUINTET_OIDC_NAME: "Example" });
    expect(providers).toEqual([
      { name: "google", title: "Google", issuer: "https://accounts.google.com", clientId: "id", clientSecret: "secret" },
      { name: "oidc", title: "Example", issuer: "https://login.example.com/realm/", clientId: "id", clientSecret: "secret" },
    ]);
    expect(check).not.toThrow();
  });

  test.each([
    [GOOGLE, "QUINTET_PUBLIC_URL must be set with QUINTET_GOOGLE_CLIENT_ID"],
    [{ ...PUBLIC, QUINTET_GOOGLE_CLIENT_ID: "id" }, "QUINTET_GOOGLE_CLIENT_SECRET must be set"],
    [{ ...PUBLIC, QUINTET_GITHUB_CLIENT_SECRET: "s3cret" }, "QUINTET_GITHUB_CLIENT_ID must be set"],
    [{ ...PUBLIC, QUINTET_OIDC_ISSUER: OWN.QUINTET_OIDC_ISSUER }, "QUINTET_OIDC_CLIENT_ID must be set"],
    [{ ...PUBLIC, ...OWN, QUINTET_OIDC_ISSUER: "" }, "QUINTET_OIDC_ISSUER must be an https URL"],
    [{ ...PUBLIC, ...OWN, QUINTET_OIDC_ISSUER: "http://login.example.com" }, "QUINTET_OIDC_ISSUER must be an https URL"],
    [{ ...PUBLIC, ...OWN, QUINTET_OIDC_ISSUER: "https://login.example.com/?a=1" }, "QUINTET_OIDC_ISSUER must be an https URL"],
  ])("%o are refused: %s", (variables, fault) => {
    const { check } = read(variables);
    expect(check).toThrow(fault);
    expect(check).not.toThrow("s3cret");
  });
});
