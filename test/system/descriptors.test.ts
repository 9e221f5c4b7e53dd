// The protos as a stranger uses them: with nothing but the folders proto/ and third_party/, or as the descriptor set that is made from them.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { ROOT } from "../fixtures/root.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

const BINARY = readFileSync(join(ROOT, "gen/quintet.binpb"));
const FILES = fromBinary(FileDescriptorSetSchema, BINARY).file;
const BUF = join(ROOT, "node_modules/.bin/buf");

// The folder of each proto → how it is written in C#.
const NAMES = {
  operator: "Operator",
  account: "Account",
  bitcoin: "Bitcoin",
  farkle: "Farkle",
  options: "Options",
  radio: "Radio",
  tokenlist: "TokenList",
  tokenprice: "TokenPrice",
};

describe("the two folders compile alone", () => {
  test("to the descriptor set that is committed", () => {
    const directory = temporaryDirectory();
    for (const folder of ["proto", "third_party"]) {
      cpSync(join(ROOT, folder), join(directory, folder), { recursive: true });
    }
    writeFileSync(join(directory, "buf.yaml"), "version: v2\nmodules: [{ path: proto }, { path: third_party }]\n");
    const paths = ["proto/quintet", "third_party/google/rpc", "third_party/grpc/health"].flatMap((path) => ["--path", path]);
    const built = execFileSync(BUF, ["build", ".", ...paths, "--as-file-descriptor-set", "--exclude-source-info", "-o", "-"], {
      cwd: directory,
    });
    expect(built.equals(BINARY)).toBe(true);
  });
});

describe("the descriptor set", () => {
  test("has every file after all that it imports", () => {
    const seen = new Set<string>();
    const early = FILES.flatMap(({ name, dependency }) => {
      const missing = dependency.filter((path) => !seen.has(path));
      seen.add(name);
      return missing;
    });
    expect(early).toEqual([]);
  });

  test("has what errors and health are said with", () => {
    const names = FILES.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["google/rpc/status.proto", "google/rpc/error_details.proto", "grpc/health/v1/health.proto"]),
    );
  });

  const own = FILES.filter(({ name }) => name.startsWith("quintet/"));
  test.each(own.map((file) => [file.name, file] as const))("%s names the packages of generated code", (name, { options }) => {
    const [, folder = "", , file = ""] = name.replace(".proto", "").split("/");
    const outer = file.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    const { csharpNamespace, goPackage, javaPackage, javaMultipleFiles, javaOuterClassname } = options ?? {};
    expect({ csharpNamespace, goPackage, javaPackage, javaMultipleFiles, javaOuterClassname }).toEqual({
      csharpNamespace: `Quintet.${NAMES[folder as keyof typeof NAMES]}.V1`,
      goPackage: `quintet/${folder}/v1;${folder}v1`,
      javaPackage: `com.quintet.${folder}.v1`,
      javaMultipleFiles: true,
      javaOuterClassname: `${outer}Proto`,
    });
  });
});

describe("/descriptors.binpb", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  test("is the descriptor set, without a key", async () => {
    const answer = await fetch(`${gateway.origin}/descriptors.binpb`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/protobuf"]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(BINARY)).toBe(true);
  });

  test("is not sent again to a caller who has it", async () => {
    const { headers } = await fetch(`${gateway.origin}/descriptors.binpb`, { method: "HEAD" });
    const again = await fetch(`${gateway.origin}/descriptors.binpb`, { headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });
});
