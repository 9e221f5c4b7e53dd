// Removes from the generated protobuf code what a browser does not need: validation rules and REST paths, which are options
// of the protos, and the descriptors of those options. The server validates. The rest is rewritten in a form that compresses well.
import { basename, join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { Plugin } from "vite";
import { compactFile } from "./compact-file.ts";

// Files that only declare options.
const OPTION_FILES = ["buf/validate/validate", "google/api/annotations", "quintet/options/v1/options"];

/** Whether the file, such as `google/api/annotations.proto`, only declares options that browsers do not load. */
export const isOptionFile = (name: string): boolean => OPTION_FILES.includes(name.replace(/\.proto$/, ""));

const OPTION_NAMES = OPTION_FILES.map((file) => `file_${file.replaceAll("/", "_")}`);
const OPTION_IMPORT = new RegExp(
  `^import .* from "[^"]*/(?:${OPTION_FILES.map((file) => basename(file)).join("|")})_pb\\.js";\n`,
  "gm",
);

// Our own code, and that of Protobuf's own types.
const GENERATED = /\/gen\/.*_pb\.js$|\/wkt\/google\/protobuf\/(?:any|duration|empty|field_mask|struct|timestamp|wrappers)_pb\.js$/;
const FILE_DESC = /fileDesc\("([^"]+)"(?:, \[([^\]]*)\])?\)/;
const EMBEDDED = join(import.meta.dirname, "../api/embedded-file.ts");

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
  const called = `embeddedFile(${JSON.stringify(compactFile(file))}${kept.length === 0 ? "" : `, [${kept.join(", ")}]`})`;
  return `import { embeddedFile } from ${JSON.stringify(EMBEDDED)};\n${code.replace(call, () => called).replace(OPTION_IMPORT, "")}`;
}
