// The current protos with their comments, which the generated code does not have.
import { execFileSync } from "node:child_process";
import { createFileRegistry, type DescService, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** Every service of proto/, in the order of their full names. Compiles them again at each call. */
export function readServices(): readonly DescService[] {
  const image = execFileSync("node_modules/.bin/buf", ["build", "proto", "-o", "-"], { maxBuffer: 64 * 1024 * 1024 });
  return [...createFileRegistry(fromBinary(FileDescriptorSetSchema, image))]
    .filter((desc): desc is DescService => desc.kind === "service")
    .toSorted((a, b) => (a.typeName < b.typeName ? -1 : 1));
}
