// What was misspelt on the command line, and what was probably meant.
import { expect, test } from "vitest";
import { run as runProgram } from "../fixtures/program.ts";
import { createCommandLine } from "./command-line.ts";

test.each([
  ["a command", "acount list", "account"],
  ["a command below a command", "account lst", "list"],
  ["an option", "account list --jsn", "--json"],
  ["an account", "account show acne", "acme"],
  ["a service", "subscription create acme radoi", "radio"],
  ["a service among several", "key create acme --services farkle,radoi", "radio"],
  ["a service of an option", "plans --service radoi", "radio"],
  ["a plan", "subscription create acme radio --plan prp", "pro"],
  ["an action of the audit trail", "audit --action key.creat", "key.create"],
])("%s", async (_, line, meant) => {
  const { run } = createCommandLine();
  await run("account create acme");
  const { code, err } = await run(line);
  expect({ failed: code !== 0, suggested: /[Dd]id you mean (\S+)\?/.exec(err)?.[1] }).toEqual({ failed: true, suggested: meant });
});

test.each([
  ["a setting", "serve", { QUINTET_PROT: "8080" }, "QUINTET_PORT"],
  ["a value of a setting", "serve", { QUINTET_LOG_LEVEL: "inof" }, "info"],
])("%s, as a separate program", async (_, line, variables, meant) => {
  const { err } = await runProgram(line, variables);
  expect(/did you mean (\S+)\?/.exec(err)?.[1]).toBe(meant);
});

test("nothing is suggested for a word that is not similar to any command", async () => {
  const { run } = createCommandLine();
  await run("account create acme");
  expect((await run("account show somebody-else")).err).toBe(
    "quintet: There is no account called somebody-else; `quintet account list` shows them.\n",
  );
});
