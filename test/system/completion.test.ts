// Completions, computed by the shells themselves from what `quintet completion` prints.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { START } from "../fixtures/program.ts";
import { describeWith, type Found } from "../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../fixtures/temporary-directory.ts";

const { path: home, remove } = makeTemporaryDirectory();
afterAll(remove);
// The command under its own name, as if the package were installed.
const bin = join(home, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "quintet"), `#!/bin/sh\nexec ${process.execPath} ${START} "$@"\n`, { mode: 0o755 });
const variables = { PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, TERM: "dumb" };

const SHELLS: readonly { readonly shell: string; readonly scriptFor: (line: string) => string }[] = [
  {
    shell: "bash",
    scriptFor: (line) => `
      source /usr/share/bash-completion/bash_completion
      source ${home}/bash
      COMP_LINE='${line}' COMP_POINT=\${#COMP_LINE} COMP_TYPE=9 COMP_KEY=9
      COMP_WORDS=(\${COMP_LINE}); [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      compopt() { :; }
      __quintet_complete
      for each in "\${COMPREPLY[@]}"; do echo "\${each%% *}"; done`,
  },
  {
    shell: "zsh",
    // Prints what it would offer instead of displaying it.
    scriptFor: (line) => `
      autoload -Uz compinit && compinit -u -d ${home}/zcompdump
      source ${home}/zsh
      _describe() { local -a offered; offered=("\${(@P)2}"); print -rl -- "\${offered[@]%%:*}"; }
      words=(\${=:-'${line}'}); [[ '${line}' == *' ' ]] && words+=('')
      CURRENT=\${#words}
      _quintet 2>/dev/null`,
  },
  { shell: "fish", scriptFor: (line) => `source ${home}/fish; complete --do-complete '${line}' | cut -f1` },
];

// The shell, and for bash also its completion package.
const found = (shell: string): Found => {
  const needed = shell === "bash" ? "test -e /usr/share/bash-completion/bash_completion" : `command -v ${shell}`;
  return spawnSync("sh", ["-c", needed]).status === 0
    ? { path: shell }
    : { missing: `${shell} or its completions are not installed` };
};

describe("completion", () => {
  describe.each(SHELLS)("by $shell", ({ shell, scriptFor }) => {
    describeWith(found(shell), "offers", () => {
      beforeAll(() => {
        const script = execFileSync(join(bin, "quintet"), ["completion", shell], { encoding: "utf8", env: variables });
        writeFileSync(join(home, shell), script);
      });

      test.each([
        ["a command that begins with the text", "quintet subsc", ["subscription"]],
        ["the commands below a command", "quintet quota ", ["credit", "raise"]],
        ["the services if one is expected", "quintet subscription create acme ", SERVICE_NAMES],
        ["a service that begins with the text", "quintet quota credit acme bit", ["bitcoin"]],
        ["an option that begins with the text", "quintet key create --serv", ["--services"]],
        ["the plans if one is expected", "quintet subscription request acme radio --plan m", ["mega"]],
      ])("%s", (_, line, expected) => {
        const { stdout, stderr, status } = spawnSync(shell, ["-c", scriptFor(line)], { encoding: "utf8", env: variables });
        const offered = stdout.split("\n").filter((each) => each !== "" && each !== "help");
        expect({ offered: offered.toSorted(), stderr, status }).toEqual({ offered: expected.toSorted(), stderr: "", status: 0 });
      });
    });
  });
});
