// Where signing in leads: only to pages of the application and of Explore on this server.
import { describe, expect, test } from "vitest";
import { isApplicationPath, pathAfterSignIn, signInPath } from "../../../portal/app/sign-in-path.ts";

const ORIGIN = "https://api.example.com";

test.each([
  { pathname: "/app", search: "", path: "/app/sign-in" },
  { pathname: "/app/keys", search: "?do=make", path: "/app/sign-in?next=%2Fapp%2Fkeys%3Fdo%3Dmake" },
  { pathname: "/explore/bitcoin", search: "", path: "/app/sign-in?next=%2Fexplore%2Fbitcoin" },
])("from $pathname$search to $path", ({ path, ...here }) => {
  expect(signInPath(here)).toBe(path);
});

describe("after signing in", () => {
  test.each(["/app", "/app/keys?do=make", "/explore", "/explore/tokens?q=eth", `${ORIGIN}/app/usage`])("%s is shown", (next) => {
    expect(pathAfterSignIn(next, ORIGIN)).toBe(next.replace(ORIGIN, ""));
  });

  test.each([
    undefined,
    "",
    "/",
    "/docs",
    "/application",
    "/explored",
    "/app/../docs",
    "/app/%2e%2e/docs",
    "https://example.com/app",
    "https://api.example.com:8443/app",
    "http://api.example.com/app",
    "//example.com/app",
    "/\\example.com/app",
    "https://api.example.com@example.com/app",
    "javascript:alert(1)",
    "data:text/html,app",
    "https://",
  ])("%s leads to the first page", (next) => {
    expect(pathAfterSignIn(next, ORIGIN)).toBe("/app");
  });
});

test.each([
  ["/app", true],
  ["/app/keys", true],
  ["/app?do=make", true],
  ["/app#top", true],
  ["/apple", false],
  ["/explore", false],
  ["/docs/app", false],
])("whether %s is the application's: %s", (path, isIts) => {
  expect(isApplicationPath(path)).toBe(isIts);
});
