// The first call in each language: a snippet that calls one small method, and how to run it from scratch.

import { REASONS } from "../../src/problem/reason.ts";
import { isPlanFault } from "../../src/problem/reason-rule.ts";
import { recordedResponse } from "./front.ts";
import { OPERATIONS, type OperationPage } from "./operations.ts";
import { REASON_PAGES, type ReasonPage } from "./reasons.ts";
import { callOf } from "./snippets/call.ts";
import { programSnippets } from "./snippets/programs.ts";
import { shellSnippets } from "./snippets/shell.ts";
import type { Snippet } from "./snippets/snippet.ts";

/** How a snippet is run. */
interface Run {
  /** What has to be installed, in Markdown. */
  readonly needs: string;
  /** The file to save the code in; undefined if the code is pasted into a shell. */
  readonly file?: string;
  /** Shell commands that run the file; empty if the code is pasted into a shell. */
  readonly commands: string;
}

/** The first call in one language. */
export interface FirstCall extends Snippet, Run {}

export const QUICKSTART_PATH = "/docs/quickstart";

/** The method that is called: its input needs nothing from another call, and its service has a free plan. */
const FIRST_METHOD: OperationPage = (() => {
  const found = OPERATIONS.find(({ path }) => path === "/reference/farkle/score");
  if (found === undefined) {
    throw new Error("The quickstart's method does not exist");
  }
  return found;
})();

/** Its response on the free plan. */
export const FIRST_RESPONSE: unknown = recordedResponse({ name: `${FIRST_METHOD.operationId} REST` });

const PACKAGES = "[the client package](clients.md";

const RUNS: Readonly<Record<string, Run>> = {
  REST: { needs: "curl 7.76 or newer", commands: "" },
  Connect: { needs: "curl 7.76 or newer", commands: "" },
  "gRPC (buf)": { needs: "curl and [buf](https://buf.build/docs/cli/installation/)", commands: "" },
  "gRPC (grpcurl)": { needs: "curl and [grpcurl](https://github.com/fullstorydev/grpcurl)", commands: "" },
  TypeScript: { needs: "Node 22.18 or newer", file: "call.ts", commands: "node call.ts" },
  Python: { needs: "Python 3.8 or newer", file: "call.py", commands: "python3 call.py" },
  Go: { needs: "Go 1.21 or newer", file: "call.go", commands: "go run call.go" },
  Java: { needs: "Java 11 or newer", file: "Call.java", commands: "java Call.java" },
  "C#": { needs: ".NET 10 or newer", file: "call.cs", commands: "dotnet run call.cs" },
  PHP: { needs: "PHP 8 or newer", file: "call.php", commands: "php call.php" },
  Rust: {
    needs: "Rust 1.85 or newer, and a new project: `cargo new call`, then `cargo add ureq@3` in its folder",
    file: "src/main.rs",
    commands: "cargo run",
  },
  "gRPC in TypeScript": {
    needs: `Node 22.18 or newer, ${PACKAGES}#typescript-and-javascript), and \`npm install @connectrpc/connect-node\``,
    file: "call.mts",
    commands: "node call.mts",
  },
  "gRPC in Python": {
    needs: `Python 3.10 or newer and ${PACKAGES}#python)`,
    file: "call.py",
    commands: "python3 call.py",
  },
  "gRPC in Go": {
    needs: "Go 1.25 or newer, and a module with the [generated code](clients.md#other-languages)",
    file: "call.go",
    commands: "go run call.go",
  },
};

/** In the order of the reference. */
export const FIRST_CALLS: readonly FirstCall[] = [
  ...shellSnippets(callOf(FIRST_METHOD)),
  ...programSnippets(callOf(FIRST_METHOD)),
].map((snippet) => {
  const run = RUNS[snippet.title];
  if (run === undefined) {
    throw new Error(`The quickstart does not say how to run the snippet in ${snippet.title}`);
  }
  return { ...snippet, ...run };
});

/** What can go wrong with a first call: its key, its input, its plan or its rate. */
export const FIRST_REASONS: readonly ReasonPage[] = REASON_PAGES.filter(({ reason }) => {
  const { fault } = REASONS[reason];
  return isPlanFault(fault) || fault === "key" || fault === "input" || fault === "rate";
});
