// `npm run build:wheel`: builds the Python package quintet-client in build/python-client, and packs it in build/python-client/dist as a
// wheel and as a source archive, ready for PyPI: what is generated from the protos, and the few lines of clients/python.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { methodPolicies } from "./clients/method-policies.ts";
import { filesOf } from "./clients/type-names.ts";
import { dataServicesOf } from "./data-services/data-services.ts";
import { readServices } from "./protos.ts";
import { pythonEnvironment } from "./python-environment.ts";
import { serviceConfig } from "./service-config.ts";

const SOURCES = "clients/python";
const OUT = resolve("build/python-client");
// These options are for the server. Without them the package needs no copy of buf/validate, which other packages also contain.
const OPTIONS = ["buf.validate", "quintet.options.v1", "google.api"];

const requirements = readFileSync(join(SOURCES, "requirements.txt"), "utf8");
const programs = pythonEnvironment("python-client", join(SOURCES, "requirements.txt"));
const python = join(programs, "python");
const presented = dataServicesOf(readServices());
const services = presented.map(({ desc, presentation }) => ({
  file: `${desc.file.name}.proto`,
  // `quintet/tokenprice/v1/token_price` → `quintet.tokenprice.v1`, `token_price_pb2`
  package: desc.file.name.slice(0, desc.file.name.lastIndexOf("/")).replaceAll("/", "."),
  module: `${desc.file.name.slice(desc.file.name.lastIndexOf("/") + 1)}_pb2`,
  stub: `${desc.name}Stub`,
  name: presentation.name.replaceAll("-", "_"),
}));
const files = services.map(({ file }) => file);
// With those that have messages alone.
const all = filesOf(presented).map(({ name }) => `${name}.proto`);

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
// buf writes the messages, and the types of messages and stubs with their comments, because it can leave options out. grpcio's own tool,
// which contains protoc, writes the stubs.
const template = {
  version: "v2",
  inputs: [{ directory: ".", paths: all.map((file) => `proto/${file}`), exclude_types: OPTIONS }],
  plugins: [
    { protoc_builtin: "python", protoc_path: [python, "-m", "grpc_tools.protoc"], out: OUT },
    { local: join(programs, "protoc-gen-mypy"), out: OUT, opt: "quiet" },
    { local: join(programs, "protoc-gen-mypy_grpc"), out: OUT, opt: "quiet" },
  ],
};
execFileSync("node_modules/.bin/buf", ["generate", "--template", JSON.stringify(template)], { stdio: "inherit" });
const folders = ["-I", "proto", "-I", "third_party"];
execFileSync(python, ["-m", "grpc_tools.protoc", ...folders, `--grpc_python_out=${OUT}`, ...files], { stdio: "inherit" });

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const grpcVersion = /^grpcio-tools==(.+)$/m.exec(requirements)?.[1] ?? "";
const project = readFileSync(join(SOURCES, "pyproject.toml"), "utf8");
writeFileSync(join(OUT, "pyproject.toml"), project.replace("VERSION", version).replaceAll("GRPC", grpcVersion));
for (const file of ["README.md", "quintet_client"]) {
  cpSync(join(SOURCES, file), join(OUT, file), { recursive: true });
}
cpSync("LICENSE", join(OUT, "LICENSE"));
writeFileSync(join(OUT, "quintet_client/_generated.py"), generated());
// Type checkers read the types of packages with this file.
for (const folder of ["quintet_client", ...all.map((file) => dirname(file))]) {
  writeFileSync(join(OUT, folder, "py.typed"), "");
}
execFileSync(join(programs, "hatchling"), ["build", "-t", "wheel", "-t", "sdist"], {
  cwd: OUT,
  stdio: ["ignore", "ignore", "inherit"],
});

// The services by their names in programs, and what a client may retry.
function generated(): string {
  const config = serviceConfig();
  const timeouts = Object.entries(methodPolicies()).flatMap(([path, { timeoutMs }]) =>
    timeoutMs === undefined ? [] : [[path, timeoutMs / 1000]],
  );
  const stubs = services.map(({ name, module, stub }) => `        self.${name} = ${module}_grpc.${stub}(channel)`).join("\n");
  return `"""The data services, and how the server says that calls may be retried. Generated."""

import grpc
import grpc.aio

${services.map((service) => `from ${service.package} import ${service.module} as ${service.name}, ${service.module}_grpc`).join("\n")}

__all__ = [${services.map(({ name }) => JSON.stringify(name)).join(", ")}]


class Services:
    def __init__(self, channel: grpc.Channel) -> None:
${stubs}


class AsyncServices:
    def __init__(self, channel: grpc.aio.Channel) -> None:
${stubs}


# Without its deadlines, which grpcio ends up to two seconds early: https://github.com/grpc/grpc/issues/40633
SERVICE_CONFIG = """
${JSON.stringify({ ...config, methodConfig: config.methodConfig.map((each) => ({ ...each, timeout: undefined })) }, undefined, 2)}
"""

# Seconds, by the paths of methods.
TIMEOUTS = {
${timeouts.map(([path, seconds]) => `    "${path}": ${seconds},`).join("\n")}
}
`;
}
