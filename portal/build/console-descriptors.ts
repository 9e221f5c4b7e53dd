// The descriptors that the console loads: those of the services that it calls and of error details, with everything that they import. The
// set that every server publishes also has the account services, and is nearly twice as large.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { removeExtensions } from "./slim-descriptors.ts";

const PUBLISHED = join(import.meta.dirname, "../../gen/quintet.binpb");
const ERROR_FILES = ["google/rpc/status.proto", "google/rpc/error_details.proto"];
// The options in this file are CEL expressions, which only validation reads; they make up more than half of the file.
const VALIDATION_FILE = "buf/validate/validate.proto";

/**
 * A `google.protobuf.FileDescriptorSet` for methods such as `quintet.radio.v1.RadioService/SearchStations`, each file after its imports.
 */
export function consoleDescriptors(methods: readonly { readonly rpc: string }[]): Uint8Array {
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(PUBLISHED));
  const services = new Set(methods.map(({ rpc }) => rpc.split("/")[0]));
  const declares = (file: FileDescriptorProto): boolean => file.service.some(({ name }) => services.has(`${file.package}.${name}`));
  const needed = new Set([...ERROR_FILES, ...set.file.filter(declares).map(({ name }) => name)]);
  // Iterating over a set also visits what is added in the meantime.
  for (const name of needed) {
    for (const imported of set.file.find((file) => file.name === name)?.dependency ?? []) {
      needed.add(imported);
    }
  }
  set.file = set.file.filter(({ name }) => needed.has(name));
  for (const file of set.file.filter(({ name }) => name === VALIDATION_FILE)) {
    removeExtensions(file);
  }
  return toBinary(FileDescriptorSetSchema, set);
}
