// The contract as files that anybody may read: the OpenAPI document, the protos, their descriptors, and how gRPC clients may retry.
import { readFileSync } from "node:fs";
import { type Coding, compressed, createDocument, type Document, hashOf } from "../gateway/document.ts";
import { apiVersion, version } from "../runtime/version.ts";
import { type Publisher, servedOpenApi } from "./served-openapi.ts";

const generated = (name: string): URL => new URL(`../../gen/${name}`, import.meta.url);

/** Path → content type and file. */
const FILES: Readonly<Record<string, readonly [contentType: string, file: URL]>> = {
  "/openapi.json": ["application/json", generated("openapi.json")],
  // A google.protobuf.FileDescriptorSet, which clients in any language can read, or generate code from.
  "/descriptors.binpb": ["application/protobuf", generated("quintet.binpb")],
  "/protos.zip": ["application/zip", generated("protos.zip")],
  // https://github.com/grpc/grpc/blob/master/doc/service_config.md
  "/grpc-service-config.json": ["application/json", generated("grpc-service-config.json")],
};

// They change only with a new version of the server. A minute is enough for a page that loads them again and again.
const CACHE_CONTROL = "public, max-age=60";

/** Path → document. Clients that are generated from the OpenAPI document call the server at the publisher's URL. */
export function publishedDocuments(publisher: Publisher): readonly (readonly [path: string, document: Document])[] {
  const versions = Buffer.from(`${JSON.stringify({ api: apiVersion, program: version })}\n`);
  const files = Object.entries(FILES).map(([path, [contentType, file]]) => {
    const read = (): Uint8Array =>
      (path === "/openapi.json" && encoded(servedOpenApi(readFileSync(file, "utf8"), publisher))) || readFileSync(file);
    // Each content coding is made from the file when it is first requested, so the file itself is not kept: most servers never send it.
    const bytes = { hash: hashOf(read()), represent: (coding: Coding) => compressed(read())(coding) };
    return [path, createDocument({ contentType, ...bytes, cacheControl: CACHE_CONTROL, isShared: true })] as const;
  });
  const ofVersions = { contentType: "application/json", hash: hashOf(versions), represent: compressed(versions) };
  return [...files, ["/version", createDocument({ ...ofVersions, cacheControl: CACHE_CONTROL, isShared: true })]];
}

const encoded = (text: string | undefined): Uint8Array | undefined => (text === undefined ? undefined : Buffer.from(text));
