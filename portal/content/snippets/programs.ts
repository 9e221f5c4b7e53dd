// Calls from programs: REST with each language's standard library if it has HTTP, so that nothing has to be installed or generated, and
// gRPC with its clients.
import { csharp, go, java, rust } from "./compiled.ts";
import { grpcGo, grpcPython, grpcTypescript } from "./grpc-clients.ts";
import { programPartsOf } from "./program-parts.ts";
import { php, python, typescript } from "./scripting.ts";
import type { Snippet, SnippetCall } from "./snippet.ts";

/** The call in each language. gRPC is left out for the account, which the client packages do not have. */
export function programSnippets(call: SnippetCall): readonly Snippet[] {
  const parts = programPartsOf(call);
  return [
    { title: "TypeScript", language: "typescript", code: typescript(parts) },
    { title: "Python", language: "python", code: python(parts) },
    { title: "Go", language: "go", code: go(parts) },
    { title: "Java", language: "java", code: java(parts) },
    { title: "C#", language: "csharp", code: csharp(parts) },
    { title: "PHP", language: "php", code: php(parts) },
    { title: "Rust", language: "rust", code: rust(parts) },
    ...(call.credential === "key" ? grpcSnippets(call) : []),
  ];
}

const grpcSnippets = (call: SnippetCall): readonly Snippet[] => [
  { title: "gRPC in TypeScript", language: "typescript", code: grpcTypescript(call) },
  { title: "gRPC in Python", language: "python", code: grpcPython(call) },
  { title: "gRPC in Go", language: "go", code: grpcGo(call) },
];
