// The image of deploy/Dockerfile: its files alone, assembled as the Dockerfile says, run a server that responds.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { DEAD_UPSTREAMS } from "../../fixtures/dead-upstreams.ts";
import { type Ended, startCommand } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import type { ImageRoot } from "./image/image-root.ts";
import { BASE_PACKAGES, buildOurImage, CMD, ENTRYPOINT, HEALTHCHECK, imagePackages } from "./image/our-image.ts";

describeWith(imagePackages, "the image", () => {
  const { path: folder, remove } = makeTemporaryDirectory();
  let image: ImageRoot;

  const built = (name: string): ImageRoot => {
    mkdirSync(join(folder, name));
    return buildOurImage(join(folder, name));
  };

  beforeAll(() => {
    image = built("image");
  });
  afterAll(remove);

  const started = (program: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    startCommand(image.command(program) as [string, ...string[]], { ...image.environment, ...variables });
  const ran = (program: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    started(program, variables).ended;

  test("serves, is healthy, runs commands and drains, as its own user on a read-only root", async () => {
    const asked = { QUINTET_EMBEDDED_DATABASE: "on" };
    const server = started([...ENTRYPOINT, ...CMD], { ...DEAD_UPSTREAMS, ...asked, QUINTET_PORT: "0", QUINTET_WORKERS: "2" });
    onTestFinished(() => server.signal("SIGKILL"));
    const [, port = ""] = await server.until(/"origin":"[^"]+:(\d+)".*"msg":"serving"/);
    expect(await ran(HEALTHCHECK, { QUINTET_PORT: port })).toEqual({ code: 0, out: "", err: "" });

    const printed = async (line: string): Promise<string> => {
      const { code, out, err } = await ran([...ENTRYPOINT, ...line.split(" ")], asked);
      expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
      return out;
    };
    await printed("account create acme");
    await printed("subscription create acme farkle");
    const [key = ""] = /qk_live_\w+/.exec(await printed("key create acme --name image")) ?? [];
    const response = await fetch(`http://127.0.0.1:${port}/farkle/v1/score?dice=1,1`, { headers: { "x-gateway-key": key } });
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ data: expect.objectContaining({ score: 200 }) }),
    ]);
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: "text/html" } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);

    server.signal("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0 });
    expect(await ran(HEALTHCHECK, { QUINTET_PORT: port })).toEqual({ code: 1, out: "", err: "" });
  });

  test.each(["serve", "migrate", "account create acme"])("refuses %s without a database", async (line) => {
    const { code, err } = await ran([...ENTRYPOINT, ...line.split(" ")]);
    expect({ code, err }).toEqual({ code: 6, err: expect.stringContaining("QUINTET_DATABASE_URL is not set") });
  });

  test("lets its user write only to /data", async () => {
    const [node = ""] = ENTRYPOINT;
    const written = async (path: string): Promise<unknown> => {
      const program = `try { fs.writeFileSync(${JSON.stringify(path)}, ""); console.log(process.getuid()) } catch ({ code }) { console.log(code) }`;
      return (await ran([node, "-e", program])).out.trim();
    };
    expect(await Promise.all(["/data/new", "/tmp/new", "/opt/quintet/new", "/home/nonroot/new"].map(written))).toEqual([
      "65532",
      "EROFS",
      "EROFS",
      "EROFS",
    ]);
  });

  test("has the command `quintet`, which its messages mention", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(await ran(["/usr/local/bin/quintet", "--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  test("is identical, byte for byte, when it is built again", () => {
    // All times are equal, as BuildKit writes them with `rewrite-timestamp`.
    const digest = ({ path }: ImageRoot): string =>
      createHash("sha256")
        .update(
          execFileSync("tar", ["--create", "--sort=name", "--mtime=@0", "--numeric-owner", `--directory=${path}`, "."], {
            maxBuffer: 2 ** 30,
          }),
        )
        .digest("hex");
    expect(digest(built("again"))).toBe(digest(image));
  });

  test("lists what is in it, and under which licences", () => {
    const { components } = JSON.parse(readFileSync(join(image.path, "opt/quintet/sbom.cdx.json"), "utf8"));
    const [node, ...packagesOfNpm] = components;
    expect(node).toMatchObject({ name: "node", version: process.versions.node });
    expect(node.components).toContainEqual(expect.objectContaining({ name: "openssl", version: process.versions.openssl }));
    expect(packagesOfNpm.length).toBeGreaterThan(30);
    const licences = ["opt/quintet/LICENSE", "opt/quintet/THIRD-PARTY-LICENSES.txt", "usr/share/doc/node/copyright"];
    const ofDebian = BASE_PACKAGES.map((name) => `usr/share/doc/${name}/copyright`);
    expect(
      [...licences, ...ofDebian, "var/lib/dpkg/status.d/libatomic1"].filter((path) => !existsSync(join(image.path, path))),
    ).toEqual([]);
  });
});
