// Sending e-mails to servers that accept them, refuse them, are dead or never respond, each over a real socket.
import { describe, expect, onTestFinished, test } from "vitest";
import { checkMail } from "../../src/cli/doctor/examination.ts";
import type { MailConfig } from "../../src/config/mail.ts";
import { createSmtpTransport, type SmtpTimeouts } from "../../src/mail/smtp-transport.ts";
import { makeAuthority } from "../fixtures/certificates.ts";
import { freePort } from "../fixtures/servers/server-process.ts";
import { linkOf, type SmtpBehaviour, startSmtp } from "../fixtures/servers/smtp.ts";

const TIMEOUTS: SmtpTimeouts = { connectMs: 60_000, greetingMs: 60_000, responseMs: 60_000 };
// For a server that never responds.
const SHORT_TIMEOUTS: SmtpTimeouts = { ...TIMEOUTS, greetingMs: 300 };
const MAIL = {
  to: "ada@example.com",
  subject: "Hello",
  text: `Open\n\nhttps://api.example.com/app/reset#token=${"x".repeat(32)}\n`,
};

const configFor = (port: number, smtp: Partial<MailConfig["smtp"]> = {}): MailConfig => ({
  smtp: { host: "127.0.0.1", port, isSecure: false, needsStartTls: false, credentials: undefined, ...smtp },
  from: "Quintet <no-reply@example.com>",
  publicUrl: "https://api.example.com",
});

async function open(behaviour: SmtpBehaviour = {}) {
  const server = await startSmtp(behaviour);
  onTestFinished(() => server.close());
  return server;
}

test("an e-mail arrives with its sender, its recipient and its complete link", async () => {
  const server = await open();
  const transport = await createSmtpTransport(configFor(server.port), TIMEOUTS);
  expect(await transport.send(MAIL)).toEqual({ outcome: "sent" });
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: "no-reply@example.com", to: ["ada@example.com"] });
  expect(mail?.source).toMatch(/^From: Quintet <no-reply@example.com>\r$/m);
  expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/im);
  expect(mail && linkOf(mail)).toBe(`https://api.example.com/app/reset#token=${"x".repeat(32)}`);
  transport.close();
});

test("an address that looks like a list, or like a name with another address, is one recipient", async () => {
  const server = await open();
  const transport = await createSmtpTransport(configFor(server.port), TIMEOUTS);
  for (const to of ["ops,eve@example.com", '"x";eve@example.com', "group:eve@example.com"]) {
    await transport.send({ ...MAIL, to });
  }
  expect(server.mails.flatMap((mail) => mail.to).filter((to) => to === "eve@example.com")).toEqual([]);
  transport.close();
});

test("credentials are sent once the connection is encrypted, and not before", async () => {
  const { cert, key } = makeAuthority().certify({ holder: "server", names: "IP:127.0.0.1" });
  const credentials = { user: "quintet", password: "secret" };
  const secure = await open({ tls: { cert, key }, credentials });
  // The certificate is not trusted here.
  const untrusted = await createSmtpTransport(configFor(secure.port, { needsStartTls: true, credentials }), TIMEOUTS);
  expect(await untrusted.send(MAIL)).toMatchObject({ outcome: "failed" });
  expect(secure.commands.map((each) => each.split(" ")[0])).not.toContain("AUTH");
  const plain = await open({ credentials });
  const refusing = await createSmtpTransport(configFor(plain.port, { needsStartTls: true, credentials }), TIMEOUTS);
  expect(await refusing.send(MAIL)).toMatchObject({ outcome: "failed" });
  expect(plain.commands.map((each) => each.split(" ")[0])).not.toContain("AUTH");
  const local = await createSmtpTransport(configFor(plain.port, { credentials }), TIMEOUTS);
  expect(await local.send(MAIL)).toEqual({ outcome: "sent" });
});

test.each([
  ["https://api.example.com", "EHLO api.example.com"],
  ["https://api.example.com:8443", "EHLO api.example.com"],
  ["http://localhost:8080", "EHLO localhost"],
  ["http://127.0.0.1:8080", "EHLO [127.0.0.1]"],
  ["http://[::1]:8080", "EHLO [IPv6:::1]"],
])("a server at %s says %s", async (publicUrl, command) => {
  const server = await open();
  const transport = await createSmtpTransport({ ...configFor(server.port), publicUrl }, TIMEOUTS);
  expect(await transport.send(MAIL)).toEqual({ outcome: "sent" });
  expect(server.commands[0]).toBe(command);
});

test("a mail server on this machine may have a certificate of its own making, and gets the e-mail encrypted", async () => {
  const { cert, key } = makeAuthority().certify({ holder: "server", names: "DNS:mail.internal" });
  const server = await open({ tls: { cert, key } });
  const transport = await createSmtpTransport(configFor(server.port), TIMEOUTS);
  expect(await transport.send(MAIL)).toEqual({ outcome: "sent" });
  expect(server.commands.slice(0, 3).map((each) => each.split(" ")[0])).toEqual(["EHLO", "STARTTLS", "EHLO"]);
});

test.each([
  { fault: "is not trusted", request: { names: "IP:127.0.0.1" } },
  { fault: "is for another name", request: { names: "DNS:mail.example" } },
  { fault: "has expired", request: { names: "IP:127.0.0.1", days: -1 } },
])("the doctor says when the certificate of another machine $fault", async ({ request }) => {
  const { cert, key } = makeAuthority().certify({ holder: "server", ...request });
  const { port } = await open({ tls: { cert, key } });
  // As for another machine, which must encrypt.
  expect(await checkMail(configFor(port, { needsStartTls: true }), TIMEOUTS)).toEqual({
    ...{ state: "fail", subject: "mail", message: `127.0.0.1:${port} does not accept mail (CERTIFICATE)` },
    advice:
      "The server's certificate is not trusted, has expired, or is for another name. Check its name in QUINTET_SMTP_URL, or let Node trust its authority with NODE_EXTRA_CA_CERTS.",
  });
});

describe("a server that does not accept mail", () => {
  test.each([
    {
      how: "refuses the address permanently",
      refuses: "550 5.1.1 no ada@example.com here",
      expected: { outcome: "refused", code: "EENVELOPE 550" },
    },
    { how: "is busy", refuses: "451 4.3.0 later", expected: { outcome: "failed", code: "EENVELOPE 451" } },
  ])("$how", async ({ refuses, expected }) => {
    const server = await open({ refuses });
    const transport = await createSmtpTransport(configFor(server.port), TIMEOUTS);
    expect(await transport.send(MAIL)).toEqual(expected);
  });

  test("refuses the password, which may be corrected later", async () => {
    const server = await open({ credentials: { user: "quintet", password: "secret" } });
    const config = configFor(server.port, { credentials: { user: "quintet", password: "wrong" } });
    const transport = await createSmtpTransport(config, TIMEOUTS);
    expect(await transport.send(MAIL)).toEqual({ outcome: "failed", code: "EAUTH 535" });
  });

  test("is dead or never responds, and the attempt is given up", async () => {
    const dead = await createSmtpTransport(configFor(await freePort()), TIMEOUTS);
    expect(await dead.send(MAIL)).toMatchObject({ outcome: "failed", code: expect.stringMatching(/^E[A-Z]+$/) });
    const server = await open({ silent: true });
    const silent = await createSmtpTransport(configFor(server.port), SHORT_TIMEOUTS);
    expect(await silent.send(MAIL)).toEqual({ outcome: "failed", code: "ETIMEDOUT" });
  });
});

test("the doctor reports whether the server accepts mail, without the credentials", async () => {
  const server = await open({ credentials: { user: "quintet", password: "secret" } });
  const given = (password: string) => checkMail(configFor(server.port, { credentials: { user: "quintet", password } }), TIMEOUTS);
  expect(await given("secret")).toEqual({ state: "ok", subject: "mail", message: `127.0.0.1:${server.port} accepts mail` });
  expect(await given("wrong")).toEqual({
    state: "fail",
    subject: "mail",
    message: `127.0.0.1:${server.port} does not accept mail (EAUTH 535)`,
    advice: "Check QUINTET_SMTP_URL, and whether this machine can reach the server.",
  });
  expect(server.mails).toEqual([]);
});
