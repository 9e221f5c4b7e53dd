// The client in Python that openapi-generator makes.
import { join } from "node:path";
import { clientSuite } from "./client-suite.ts";
import { generateClient } from "./openapi-generator.ts";

const CALLERS = join(import.meta.dirname, "callers");

clientSuite({
  name: "python",
  async build({ folder, document, run }) {
    const settings = ["packageName=quintet_openapi"];
    await generateClient({ target: "python", document, folder: join(folder, "client"), settings });
    const python = join(folder, "venv/bin/python");
    await run("python3", ["-m", "venv", "venv"]);
    await run(python, ["-m", "pip", "install", "--quiet", "--requirement", join(CALLERS, "requirements.txt")]);
    await run(python, ["-m", "compileall", "-q", "client/quintet_openapi"]);
    return ["env", `PYTHONPATH=${join(folder, "client")}`, python, join(CALLERS, "call.py")];
  },
});
