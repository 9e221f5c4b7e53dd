import { describe, expect, test } from "vitest";
import { cookieToken, endedCookie, sessionCookie } from "../../../src/gateway/session/account-services.ts";

describe("the cookie", () => {
  test.for([
    {
      what: "with a token",
      cookie: sessionCookie("abc", false),
      text: "quintet_session=abc; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax",
    },
    {
      what: "with a token, only for secure connections",
      cookie: sessionCookie("abc", true),
      text: "__Host-quintet_session=abc; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure",
    },
    { what: "that ends it", cookie: endedCookie(false), text: "quintet_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" },
    {
      what: "that ends it, only for secure connections",
      cookie: endedCookie(true),
      text: "__Host-quintet_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
    },
  ])("$what is $text", ({ cookie, text }) => {
    expect(cookie).toBe(text);
  });
});

describe("the token in a cookie header", () => {
  test.for<{ header: string | undefined; token: string | undefined }>([
    { header: undefined, token: undefined },
    { header: "", token: undefined },
    { header: "quintet_session=abc", token: "abc" },
    { header: "theme=dark; quintet_session=abc; lang=de", token: "abc" },
    { header: "theme=dark;quintet_session=abc", token: "abc" },
    { header: "  quintet_session=abc  ", token: "abc" },
    // There may be cookies from another host of the same domain.
    { header: "quintet_session=abc; quintet_session=def", token: "" },
    { header: "__Host-quintet_session=abc; __Host-quintet_session=def", token: "" },
    { header: "__Host-quintet_session=abc", token: "abc" },
    { header: "quintet_session=def; __Host-quintet_session=abc", token: "abc" },
    { header: "quintet_session=", token: "" },
    { header: 'quintet_session="abc"', token: '"abc"' },
    { header: "quintet_session=a=b", token: "a=b" },
    { header: "quintet_session", token: undefined },
    { header: "Quintet_Session=abc", token: undefined },
    { header: "my_quintet_session=abc", token: undefined },
    { header: "quintet_session_2=abc", token: undefined },
    { header: "theme=quintet_session=abc", token: undefined },
    { header: ";;; ;", token: undefined },
  ])("$header is $token", ({ header, token }) => {
    expect(cookieToken(header, false)).toBe(token);
  });

  test.for([
    { header: "quintet_session=abc", token: undefined },
    { header: "__Host-quintet_session=abc", token: "abc" },
    { header: "quintet_session=def; __Host-quintet_session=abc", token: "abc" },
  ])("$header is $token over a secure connection", ({ header, token }) => {
    expect(cookieToken(header, true)).toBe(token);
  });
});
