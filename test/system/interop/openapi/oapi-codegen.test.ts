// The client in Go that oapi-codegen makes, from the document without the operations that it is configured to leave out, as docs/rest.md
// says.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GoTool, installGoTool } from "../../../fixtures/go-tool.ts";
import { clientSuite } from "./client-suite.ts";
import type { ServedDocument } from "./operations.ts";

const OAPI_CODEGEN: GoTool = { module: "github.com/oapi-codegen/oapi-codegen/v2", version: "v2.8.2", command: "cmd/oapi-codegen" };

clientSuite({
  name: "oapi-codegen",
  async build({ folder, document, run }) {
    const client = join(folder, "client");
    mkdirSync(join(client, "call"), { recursive: true });
    writeFileSync(join(client, "openapi.json"), withoutTwins(readFileSync(document, "utf8")));
    await run(
      installGoTool(OAPI_CODEGEN),
      ["-generate", "types,client", "-package", "client", "-o", "client.gen.go", "openapi.json"],
      {
        folder: "client",
      },
    );
    cpSync(join(import.meta.dirname, "callers/oapi.go"), join(client, "call/main.go"));
    await run("go", ["mod", "init", "quintet.example/client"], { folder: "client" });
    await run("go", ["mod", "tidy"], { folder: "client" });
    await run("go", ["build", "-o", join(folder, "program"), "./call"], { folder: "client" });
    return [join(folder, "program")];
  },
});

function withoutTwins(text: string): string {
  const document = JSON.parse(text) as ServedDocument;
  const paths = Object.entries(document.paths).map(([path, verbs]) => [
    path,
    Object.fromEntries(Object.entries(verbs).filter(([, operation]) => operation["x-internal"] !== true)),
  ]);
  return JSON.stringify({ ...document, paths: Object.fromEntries(paths) });
}
