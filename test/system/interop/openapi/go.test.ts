// The client in Go that openapi-generator makes.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { clientSuite } from "./client-suite.ts";
import { generateClient } from "./openapi-generator.ts";

clientSuite({
  name: "go",
  async build({ folder, document, run }) {
    const client = join(folder, "client");
    await generateClient({ target: "go", document, folder: client, settings: ["packageName=client"] });
    mkdirSync(join(client, "call"));
    cpSync(join(import.meta.dirname, "callers/call.go"), join(client, "call/main.go"));
    await run("go", ["mod", "edit", "-module", "quintet.example/client"], { folder: "client" });
    await run("go", ["mod", "tidy"], { folder: "client" });
    await run("go", ["build", "-o", join(folder, "program"), "./call"], { folder: "client" });
    return [join(folder, "program")];
  },
});
