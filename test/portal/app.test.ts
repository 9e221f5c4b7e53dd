// What the application loads before it shows something: no more than it may weigh, and none of what only the server needs.
import { describe, expect, test } from "vitest";
import { portalFiles, portalText } from "../fixtures/portal-site.ts";

const KIB = 1024;

const files = portalFiles();
const app = files.filter(({ path }) => path === "/app");
const html = app.map(portalText).join("");
const named = [...html.matchAll(/ (?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
const loaded = named.flatMap((path) => files.filter((file) => file.path === path));
const pageFiles = (page: string): typeof files =>
  files.filter(({ path }) => new RegExp(`^/assets/${page}-[\\w-]{8}\\.`).test(path));

describe("The application", () => {
  test("names only files that are there, and runs nothing inline", () => {
    expect({
      missing: named.filter((path) => !files.some((file) => file.path === path)),
      inline: html.match(/<script(?![^>]* src=)|<style|\sstyle="|\son\w+="|javascript:/g),
      many: named.length >= 4,
    }).toEqual({ missing: [], inline: null, many: true });
  });

  test.each(["Overview", "Keys", "Subscriptions", "Usage", "SignIn", "SignUp", "Account"])(
    "loads at most 90 KiB for %s",
    (page) => {
      const own = pageFiles(page);
      expect(own.length).toBeGreaterThanOrEqual(1);
      const bytes = [...new Set([...app, ...loaded, ...own])].reduce((sum, file) => sum + file.bytes.br, 0);
      expect(bytes).toBeLessThanOrEqual(90 * KIB);
    },
  );

  test("loads at most 25 KiB more for plots, and nothing of them before one is shown", () => {
    const own = pageFiles("chart");
    expect(own.map(({ type }) => type.replace(/;.*/, "")).toSorted()).toEqual(["text/css", "text/javascript"]);
    expect(own.reduce((sum, file) => sum + file.bytes.br, 0)).toBeLessThanOrEqual(25 * KIB);
    expect(own.filter(({ path }) => named.includes(path))).toEqual([]);
  });

  test("loads at most 40 KiB more for the console, its descriptors among them", () => {
    const own = [...pageFiles("Console"), ...files.filter(({ path }) => ["/console.json", "/console.binpb"].includes(path))];
    expect(own.length).toBeGreaterThanOrEqual(4);
    expect(own.reduce((sum, file) => sum + file.bytes.br, 0)).toBeLessThanOrEqual(40 * KIB);
  });

  test("loads no rules of validation and no options of REST", () => {
    const scripts = loaded.filter(({ type }) => type.startsWith("text/javascript")).map(portalText);
    const descriptors = scripts
      .flatMap((script) => script.match(/[A-Za-z0-9+/]{200,}/g) ?? [])
      .map((text) => Buffer.from(text, "base64").toString("latin1"));
    const holds = (text: string): boolean => descriptors.some((descriptor) => descriptor.includes(text));
    // A path of REST, a list of what a field may be, and the file that declares such rules.
    expect(["quintet.account.v1", "/account/v1/keys", "token-list", "buf/validate"].map(holds)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
