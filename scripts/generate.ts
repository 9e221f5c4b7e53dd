// `npm run generate`: makes gen/ from proto/ again, and test/gen/ from test/proto/. Needs nothing from the network: imports come
// from npm packages.
import { execFileSync } from "node:child_process";

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: "inherit" });
};

run(process.execPath, "scripts/print-validate-proto.ts");
run("node_modules/.bin/buf", "generate");
run("node_modules/.bin/buf", "generate", "--template", "buf.gen.test.yaml");
