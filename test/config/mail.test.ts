import { describe, expect, test } from "vitest";
import { ConfigError, Environment } from "../../src/config/environment.ts";
import { readMailConfig } from "../../src/config/mail.ts";
import { readPublicUrl } from "../../src/config/public-url.ts";

const read = (variables: Readonly<Record<string, string>>) => {
  const environment = new Environment({
    QUINTET_MAIL_FROM: "no-reply@example.com",
    QUINTET_PUBLIC_URL: "https://api.example.com",
    ...variables,
  });
  return { config: readMailConfig(environment, readPublicUrl(environment)), check: () => environment.check() };
};
const withUrl = (url: string) => read({ QUINTET_SMTP_URL: url });

describe("mail", () => {
  test("is not sent if no server is configured", () => {
    expect(read({}).config).toBeUndefined();
  });

  test.each([
    ["smtp://relay.example", { host: "relay.example", port: 587, isSecure: false, needsStartTls: false, credentials: undefined }],
    ["smtps://relay.example", { host: "relay.example", port: 465, isSecure: true, needsStartTls: false, credentials: undefined }],
    [
      "smtp://a%40b:p%2Fw@relay.example:25",
      { host: "relay.example", port: 25, isSecure: false, needsStartTls: true, credentials: { user: "a@b", password: "p/w" } },
    ],
    [
      "smtp://a:b@127.0.0.1:25",
      { host: "127.0.0.1", port: 25, isSecure: false, needsStartTls: false, credentials: { user: "a", password: "b" } },
    ],
    ["smtp://[::1]:25/", { host: "::1", port: 25, isSecure: false, needsStartTls: false, credentials: undefined }],
  ])("is sent through %s", (url, smtp) => {
    expect(withUrl(url).config).toEqual({ smtp, from: "no-reply@example.com", publicUrl: "https://api.example.com" });
  });

  test.each([
    "http://relay.example",
    "relay.example",
    "smtp://",
    "smtp://a@relay.example",
    "smtp://relay.example/x",
    "smtp://a:%@b",
  ])("is not sent through %s, which the error does not repeat", (url) => {
    const { config, check } = withUrl(url);
    expect(config).toBeUndefined();
    expect(check).toThrow(
      "QUINTET_SMTP_URL must be an smtp or smtps URL without a path, such as smtp://user:password@smtp.example.com:587",
    );
  });

  test.each(["", "nobody", "<a@b.example>", "A <a@b.example>\nBcc: c@d.example", "A <a b@c.example>"])("is not from %j", (from) => {
    const { check } = read({ QUINTET_SMTP_URL: "smtp://relay.example", QUINTET_MAIL_FROM: from });
    expect(check).toThrow("QUINTET_MAIL_FROM must be an e-mail address like name@example.com");
  });

  test.each([
    "",
    "api.example.com",
    "http://api.example.com",
    "https://api.example.com/x",
    "https://a:b@api.example.com",
    "ftp://a",
  ])("has no links to %j", (url) => {
    const { check } = read({ QUINTET_SMTP_URL: "smtp://relay.example", QUINTET_PUBLIC_URL: url });
    expect(check).toThrow("QUINTET_PUBLIC_URL must be an https URL without a path, such as https://api.example.com");
  });

  test("has no links if the URL is wrong, which is exactly one fault, even if no mail is sent", () => {
    const fault =
      "QUINTET_PUBLIC_URL must be an https URL without a path, such as https://api.example.com; http is allowed only for this machine, such as http://localhost:8080";
    for (const QUINTET_SMTP_URL of ["", "smtp://relay.example"]) {
      const { check } = read({ QUINTET_SMTP_URL, QUINTET_PUBLIC_URL: "https://api.example.com/x" });
      expect(check).toThrow(new ConfigError([fault]));
    }
  });

  test("may have links to this machine without TLS", () => {
    const { config } = read({ QUINTET_SMTP_URL: "smtp://relay.example", QUINTET_PUBLIC_URL: "http://127.0.0.1:8080/" });
    expect(config?.publicUrl).toBe("http://127.0.0.1:8080");
  });
});
