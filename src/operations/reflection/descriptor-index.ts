// The protos of the services as server reflection looks them up: by file, symbol or extension. A file's imports are always in the index
// too. The index is made from the generated code that serves the calls, so the two always agree.
import type { DescEnum, DescExtension, DescFile, DescMessage, DescService } from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The files of some services, and all files that they import. */
export class DescriptorIndex {
  /** The full names of the services, in alphabetical order. */
  readonly serviceNames: readonly string[];
  readonly #files = new Map<string, DescFile>();
  readonly #bySymbol = new Map<string, DescFile>();
  // Full name of the extended message → number → the file of the extension.
  readonly #extensions = new Map<string, Map<number, DescFile>>();
  readonly #encoded = new Map<DescFile, Uint8Array>();

  /** `others`: files that no service imports, with types that responses may contain in a google.protobuf.Any. */
  constructor(services: readonly DescService[], others: readonly DescFile[]) {
    this.serviceNames = services.map(({ typeName }) => typeName).sort();
    for (const file of [...services.map((service) => service.file), ...others]) {
      this.#add(file);
    }
  }

  /** The file of this path, such as `quintet/farkle/v1/farkle.proto`. */
  fileByName(path: string): DescFile | undefined {
    return this.#files.get(path);
  }

  /** The file that declares a service, method, message, field, enum, value of an enum, or extension, by its full name. */
  fileOfSymbol(name: string): DescFile | undefined {
    return this.#bySymbol.get(name.replace(/^\./, ""));
  }

  /** The file that declares the extension with this number of a message, which is given by its full name. */
  fileOfExtension(message: string, number: number): DescFile | undefined {
    return this.#extensions.get(message)?.get(number);
  }

  /** The numbers of a message's extensions in ascending order; undefined for an unknown message. */
  extensionNumbers(message: string): readonly number[] | undefined {
    const isKnown = this.#bySymbol.has(message);
    return isKnown ? [...(this.#extensions.get(message)?.keys() ?? [])].sort((a, b) => a - b) : undefined;
  }

  /** A file as the bytes of a google.protobuf.FileDescriptorProto, without comments. */
  encoded(file: DescFile): Uint8Array {
    let bytes = this.#encoded.get(file);
    if (bytes === undefined) {
      bytes = toBinary(FileDescriptorProtoSchema, file.proto);
      this.#encoded.set(file, bytes);
    }
    return bytes;
  }

  #add(file: DescFile): void {
    const path = file.proto.name;
    if (this.#files.has(path)) {
      return;
    }
    this.#files.set(path, file);
    for (const type of nestedTypes(file)) {
      for (const name of symbolsOf(type)) {
        this.#bySymbol.set(name, file);
      }
      if (type.kind === "extension") {
        const { typeName } = type.extendee;
        const numbers = this.#extensions.get(typeName) ?? new Map<number, DescFile>();
        this.#extensions.set(typeName, numbers.set(type.number, file));
      }
    }
    for (const imported of file.dependencies) {
      this.#add(imported);
    }
  }
}

function symbolsOf(type: DescMessage | DescEnum | DescExtension | DescService): readonly string[] {
  const members = (names: readonly { readonly name: string }[]): string[] => names.map(({ name }) => `${type.typeName}.${name}`);
  switch (type.kind) {
    case "message":
      return [type.typeName, ...members([...type.fields, ...type.oneofs])];
    case "service":
      return [type.typeName, ...members(type.methods)];
    case "enum": {
      // The values of an enum are siblings of it, not nested in it. https://protobuf.dev/programming-guides/enum/#namespacing
      const scope = type.typeName.slice(0, type.typeName.lastIndexOf(".") + 1);
      return [type.typeName, ...type.values.map(({ name }) => `${scope}${name}`)];
    }
    case "extension":
      return [type.typeName];
  }
}
