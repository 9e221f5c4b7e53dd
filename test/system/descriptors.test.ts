// The protos as a stranger uses them: with only the folders proto/ and third_party/, or as the descriptor set that is made from them.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { type Unzipped, unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
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
  common: "Common",
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
    const form = ["--as-file-descriptor-set", "--exclude-source-info", "-o", "-"];
    const built = execFileSync(BUF, ["build", ".", ...paths, "--exclude-path", "proto/quintet/operator", ...form], {
      cwd: directory,
    });
    expect(built.equals(BINARY)).toBe(true);
  });
});

describe("the descriptor set", () => {
  test("has every file after the files that it imports", () => {
    const seen = new Set<string>();
    const early = FILES.flatMap(({ name, dependency }) => {
      const missing = dependency.filter((path) => !seen.has(path));
      seen.add(name);
      return missing;
    });
    expect(early).toEqual([]);
  });

  test("has the types of errors and health checks", () => {
    const names = FILES.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["google/rpc/status.proto", "google/rpc/error_details.proto", "grpc/health/v1/health.proto"]),
    );
  });

  test("has what a customer may call, and nothing for operators", () => {
    const services = FILES.filter(({ name }) => name.startsWith("quintet/")).flatMap((file) =>
      file.service.map(({ name }) => name),
    );
    expect(services.sort()).toEqual([
      "AccountService",
      "BillingService",
      "BitcoinService",
      "FarkleService",
      "KeyService",
      "MemberService",
      "ProfileService",
      "RadioService",
      "SignInService",
      "StatusService",
      "TokenListService",
      "TokenPriceService",
      "UsageService",
      "WebhookService",
    ]);
    expect(FILES.map(({ name }) => name).filter((name) => name.includes("operator"))).toEqual([]);
  });

  const own = [...FILES.filter(({ name }) => name.startsWith("quintet/")), OperatorService.file.proto];
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

test("buf generates a client from the descriptor set alone, with what it imports, as the documentation shows", () => {
  const page = readFileSync(join(ROOT, "docs/clients.md"), "utf8");
  const [, inputs = "no inputs"] = /^(inputs: .*binary_image.*)$/m.exec(page) ?? [];
  const [, plugin = "no plugin"] = /`(\{ local: protoc-gen-es,.*?\})`/.exec(page) ?? [];
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "quintet.binpb"), BINARY);
  const local = plugin.replace("protoc-gen-es", join(ROOT, "node_modules/.bin/protoc-gen-es"));
  writeFileSync(join(directory, "buf.gen.yaml"), `version: v2\n${inputs}\nplugins: [${local}]\n`);
  execFileSync(BUF, ["generate"], { cwd: directory });
  const generated = globSync("**/*.js", { cwd: join(directory, "gen") });
  const names = FILES.map(({ name }) => name).filter((name) => name.startsWith("quintet/"));
  expect(generated).toEqual(expect.arrayContaining(names.map((name) => name.replace(".proto", "_pb.js"))));
  // Node finds everything that a module imports.
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  const program = 'import { FarkleService } from "./gen/quintet/farkle/v1/farkle_pb.js";\nconsole.log(FarkleService.typeName);';
  const options = ["--input-type=module", "--eval", program];
  const printed = execFileSync(process.execPath, options, { cwd: directory, encoding: "utf8" });
  expect(printed).toBe("quintet.farkle.v1.FarkleService\n");
});

describe("/protos.zip", () => {
  let gateway: Gateway;
  let files: Unzipped;
  beforeAll(async () => {
    gateway = await startGateway();
    const response = await fetch(`${gateway.origin}/protos.zip`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/zip"]);
    files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  });
  afterAll(() => gateway.close());

  test("has the protos with their comments, but not the operators'", () => {
    const own = Object.keys(files).filter((path) => path.startsWith("proto/"));
    const names = FILES.map(({ name }) => name).filter((name) => name.startsWith("quintet/"));
    expect(own).toEqual(names.map((name) => `proto/${name}`).toSorted());
    expect(own.filter((path) => !Buffer.from(files[path] ?? []).equals(readFileSync(join(ROOT, path))))).toEqual([]);
  });

  function unpacked(): string {
    const directory = temporaryDirectory();
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), bytes);
    }
    return directory;
  }

  test("can be pushed: buf finds no fault before it contacts the registry, which does not exist", () => {
    const directory = unpacked();
    const pushed = (): string => spawnSync(BUF, ["push"], { cwd: directory, encoding: "utf8" }).stderr;
    expect(pushed()).toContain('Are you sure "registry.example" is a valid remote address?');
    const file = join(directory, "buf.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("    name: registry.example/quintet/third-party\n", ""));
    expect(pushed()).toContain("must be named but these modules are not");
  });

  test("is a workspace that buf lints, and builds to the descriptor set that is committed", () => {
    const directory = unpacked();
    const paths = ["proto/quintet", "third_party/google/rpc", "third_party/grpc/health"].flatMap((path) => ["--path", path]);
    const form = ["--as-file-descriptor-set", "--exclude-source-info", "-o", "-"];
    expect(execFileSync(BUF, ["lint"], { cwd: directory, encoding: "utf8" })).toBe("");
    expect(execFileSync(BUF, ["build", ".", ...paths, ...form], { cwd: directory }).equals(BINARY)).toBe(true);
  });
});

describe("/descriptors.binpb", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  test("is the descriptor set, and needs no key", async () => {
    const received = await fetch(`${gateway.origin}/descriptors.binpb`);
    expect([received.status, received.headers.get("content-type")]).toEqual([200, "application/protobuf"]);
    expect(Buffer.from(await received.arrayBuffer()).equals(BINARY)).toBe(true);
  });

  test("is not sent again to a caller who already has it", async () => {
    const { headers } = await fetch(`${gateway.origin}/descriptors.binpb`, { method: "HEAD" });
    const again = await fetch(`${gateway.origin}/descriptors.binpb`, { headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });
});
