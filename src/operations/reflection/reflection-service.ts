// Server reflection, v1 and v1alpha: a tool requests the protos of the methods that it wants to call. The two versions differ in their
// names only. https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
import type { DescFile, MessageInitShape } from "@bufbuild/protobuf";
import { Code, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "../../../gen/grpc/reflection/v1/reflection_pb.js";
import type { ServerReflection as AlphaServerReflection } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Failure } from "../../problem/failure.ts";
import { peerKey } from "../public-check.ts";
import type { StreamSlots } from "../stream-slots.ts";
import type { DescriptorIndex } from "./descriptor-index.ts";

type MessageResponse = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/** A tool sends about 30 requests to learn everything. */
const REQUESTS_MAX = 500;
const RETRY_MS = 1000;

/** The handlers of v1. `streams` limits how many callers use it at once. */
export function createReflectionHandlers(index: DescriptorIndex, streams: StreamSlots): ServiceImpl<typeof ServerReflection> {
  return {
    async *serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>, { values }: HandlerContext) {
      const release = streams.take(values.get(peerKey));
      try {
        const stream = new ReflectionStream(index);
        let count = 0;
        for await (const request of requests) {
          count += 1;
          if (count > REQUESTS_MAX) {
            const message = `One stream accepts ${REQUESTS_MAX} requests; open another.`;
            throw new Failure({ reason: "RATE_LIMITED", message, retryAfterMs: RETRY_MS });
          }
          yield { validHost: request.host, originalRequest: request, messageResponse: stream.respond(request) };
        }
      } finally {
        release();
      }
    },
  };
}

/** The same handlers for v1alpha: its messages have the same fields with the same numbers. */
export const asAlphaHandlers = (handlers: ServiceImpl<typeof ServerReflection>): ServiceImpl<typeof AlphaServerReflection> =>
  handlers as unknown as ServiceImpl<typeof AlphaServerReflection>;

const notFound = (what: string): MessageResponse => failed(Code.NotFound, `${what} is not known here.`);

const failed = (errorCode: Code, errorMessage: string): MessageResponse => ({
  case: "errorResponse",
  value: { errorCode, errorMessage },
});

/** One stream. A file is sent over it once, unless it is requested again. */
class ReflectionStream {
  readonly #index: DescriptorIndex;
  readonly #sent = new Set<DescFile>();

  constructor(index: DescriptorIndex) {
    this.#index = index;
  }

  respond({ messageRequest: { case: kind, value } }: ServerReflectionRequest): MessageResponse {
    const index = this.#index;
    switch (kind) {
      case "fileByFilename":
        return this.#files(index.fileByName(value), `The file "${value}"`);
      case "fileContainingSymbol":
        return this.#files(index.fileOfSymbol(value), `The symbol "${value}"`);
      case "fileContainingExtension": {
        const { containingType, extensionNumber } = value;
        const file = index.fileOfExtension(containingType, extensionNumber);
        return this.#files(file, `The extension ${extensionNumber} of "${containingType}"`);
      }
      case "allExtensionNumbersOfType": {
        const numbers = index.extensionNumbers(value);
        return numbers === undefined
          ? notFound(`The type "${value}"`)
          : { case: "allExtensionNumbersResponse", value: { baseTypeName: value, extensionNumber: [...numbers] } };
      }
      case "listServices":
        return { case: "listServicesResponse", value: { service: index.serviceNames.map((name) => ({ name })) } };
      case undefined:
        return failed(Code.InvalidArgument, "The request is empty: message_request must be set.");
    }
  }

  // The file, and its direct and indirect imports that have not been sent before.
  #files(file: DescFile | undefined, what: string): MessageResponse {
    if (file === undefined) {
      return notFound(what);
    }
    const files = new Set([file]);
    // Iterating over a set also visits what is added in the meantime.
    for (const { dependencies } of files) {
      for (const imported of dependencies) {
        if (!this.#sent.has(imported)) {
          files.add(imported);
        }
      }
    }
    for (const each of files) {
      this.#sent.add(each);
    }
    const fileDescriptorProto = Array.from(files, (each) => this.#index.encoded(each));
    return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
  }
}
