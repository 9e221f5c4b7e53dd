// The forge's workflows, by actionlint: their keys, expressions, permissions, and which jobs need which. It uses no network and runs
// nothing.
import { spawnSync } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installGoTool } from "../../fixtures/go-tool.ts";
import { ROOT } from "../../fixtures/root.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";

const ACTIONLINT = { module: "github.com/rhysd/actionlint", version: "v1.7.12", command: "cmd/actionlint" };
const go = spawnSync("go", ["version"]).status === 0 ? { path: "go" } : { missing: "`go` is not on the PATH" };

const lint = (...paths: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(installGoTool(ACTIONLINT), ["-no-color", "-shellcheck=", "-pyflakes=", ...paths], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return { status, text: `${stdout}${stderr}` };
};

describeWith(go, "the workflows", () => {
  test("have no faults, according to actionlint", () => {
    expect(lint(...globSync(".github/workflows/*.yml", { cwd: ROOT }))).toEqual({ status: 0, text: "" });
  });

  test("would be refused if a job needed one that does not exist", () => {
    const { path, remove } = makeTemporaryDirectory();
    const file = join(path, "wrong.yml");
    writeFileSync(file, "on: push\njobs:\n  one:\n    needs: two\n    runs-on: ubuntu-24.04\n    steps: [{ run: 'true' }]\n");
    expect(lint(file)).toMatchObject({ status: 1, text: expect.stringContaining('needs job "two"') });
    remove();
  });
});
