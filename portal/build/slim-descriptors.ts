// Removes from the generated protobuf code what a browser does not need: validation rules and REST paths, which are options
// of the protos, and the descriptors of those options. The server validates. This leaves a fifth of the code for the account services.
import { basename } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { Plugin } from "vite";

// Files that only declare options.
const OPTION_FILES = ["buf/validate/validate", "google/api/annotations", "quintet/options/v1/options"];
const OPTION_NAMES = OPTION_FILES.map((file) => `file_${file.replaceAll("/", "_")}`);
const OPTION_IMPORT = new RegExp(
  `^import .* from "[^"]*/(?:${OPTION_FILES.map((file) => basename(file)).join("|")})_pb\\.js";\n`,
  "gm",
);

const GENERATED = /\/gen\/.*_pb\.js$/;
const FILE_DESC = /fileDesc\("([^"]+)"(?:, \[([^\]]*)\])?\)/;

export const slimDescriptors: Plugin = {
  name: "slim-descriptors",
  transform(code, id) {
    const found = GENERATED.test(id) ? FILE_DESC.exec(code) : null;
    return found === null ? undefined : { code: slim(code, found), map: null };
  },
};

function slim(code: string, [call, base64 = "", dependencies = ""]: RegExpExecArray): string {
  const file = fromBinary(FileDescriptorProtoSchema, Buffer.from(base64, "base64"));
  const kept = dependencies.split(", ").filter((name) => name !== "" && !OPTION_NAMES.includes(name));
  delete file.options;
  removeExtensions(file);
  const bytes = Buffer.from(toBinary(FileDescriptorProtoSchema, file)).toString("base64").replace(/=+$/, "");
  const called = `fileDesc("${bytes}"${kept.length === 0 ? "" : `, [${kept.join(", ")}]`})`;
  return code.replace(call, called).replace(OPTION_IMPORT, "");
}

// The parts of a file that may have options.
interface Described {
  options?: { $unknown?: unknown } | undefined;
  readonly [part: string]: unknown;
}

const PARTS = ["messageType", "nestedType", "field", "enumType", "value", "service", "method"];

/**
 * Removes our own and third-party options from a file and everything in it. They are extensions, which are unknown fields to a plain
 * descriptor. Protobuf's own options stay.
 */
export const removeExtensions = (file: FileDescriptorProto): void => removeFrom(file as unknown as Described);

function removeFrom(described: Described): void {
  delete described.options?.$unknown;
  for (const part of PARTS) {
    for (const child of (described[part] ?? []) as readonly Described[]) {
      removeFrom(child);
    }
  }
}
