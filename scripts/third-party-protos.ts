// Protos of other projects: copies those in npm packages from node_modules into third_party/, and compares buf/validate/validate.proto,
// which no npm package contains, with the descriptor that this server validates with. third_party/README.md says where each comes from.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate as validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** The folder of the committed files, each at the path by which it is imported. */
const FOLDER = "third_party";

/** Path by which it is imported → the file in its npm package. */
const FROM_NPM: Readonly<Record<string, string>> = {
  "google/api/annotations.proto": "google-proto-files/google/api/annotations.proto",
  "google/api/http.proto": "google-proto-files/google/api/http.proto",
  "google/rpc/error_details.proto": "google-proto-files/google/rpc/error_details.proto",
  "google/rpc/status.proto": "google-proto-files/google/rpc/status.proto",
  "grpc/health/v1/health.proto": "grpc-health-check/proto/health/v1/health.proto",
  "grpc/reflection/v1/reflection.proto": "@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto",
  "grpc/reflection/v1alpha/reflection.proto": "@grpc/reflection/build/proto/grpc/reflection/v1alpha/reflection.proto",
};

const VALIDATE = "buf/validate/validate.proto";

/** Copies those that npm packages ship. */
export function copyThirdPartyProtos(): void {
  for (const [path, source] of Object.entries(FROM_NPM)) {
    const target = `${FOLDER}/${path}`;
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(`node_modules/${source}`, target);
  }
}

/** What is wrong with the committed files, each as a sentence: a file that differs from its package's, or rules of another version. */
export function thirdPartyFaults(): readonly string[] {
  const faults = Object.entries(FROM_NPM)
    .filter(([path, source]) => !readFileSync(`${FOLDER}/${path}`).equals(readFileSync(`node_modules/${source}`)))
    .map(([path]) => `${FOLDER}/${path} differs from its package's; run npm run generate`);
  const expected = toBinary(FileDescriptorProtoSchema, validate.proto);
  if (!Buffer.from(compiledValidate()).equals(expected)) {
    faults.push(
      `${FOLDER}/${VALIDATE} is not of the same version as @bufbuild/protovalidate; ${FOLDER}/README.md says where it is from`,
    );
  }
  return faults;
}

function compiledValidate(): Uint8Array {
  const build = [
    "build",
    FOLDER,
    "--path",
    `${FOLDER}/${VALIDATE}`,
    "--as-file-descriptor-set",
    "--exclude-source-info",
    "-o",
    "-",
  ];
  const bytes = execFileSync("node_modules/.bin/buf", build, { maxBuffer: 16 * 1024 * 1024 });
  const file = fromBinary(FileDescriptorSetSchema, bytes).file.find(({ name }) => name === VALIDATE);
  return file === undefined ? new Uint8Array() : toBinary(FileDescriptorProtoSchema, file);
}
