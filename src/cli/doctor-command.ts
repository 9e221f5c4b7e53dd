// `quintet doctor`: checks whether this machine can serve with these settings, and says what to do if it cannot.
import type { Command } from "commander";
import { CommandRefused } from "./command-refused.ts";
import type { Finding } from "./doctor/finding.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { json } from "./output.ts";
import type { ServerEdge } from "./server-edge.ts";

const NOTES = `
Checks the settings, the plan file, the database and Redis with their clocks, the upstreams and the SMTP server. Run it with the server's
environment, before the server starts or while it runs. It changes nothing. Each line begins with ok, warn or fail, and says what to do. The exit
code is 1 if a check fails.
`;

export function addDoctorCommand(program: Command, edge: ServerEdge): void {
  program
    .command("doctor")
    .description("Check the settings, stores, upstreams and mail server that the server depends on.")
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet doctor", "quintet doctor --json"))
    .action(async (options: JsonOption) => {
      // Loaded here, because a server would otherwise load the clients for Redis and the upstreams without ever using them.
      const { examine } = await import("./doctor/examination.ts");
      const findings = await examine(edge);
      const failed = findings.filter(({ state }) => state === "fail").length;
      const warned = findings.filter(({ state }) => state === "warn").length;
      const checks = findings.map(({ advice = null, ...finding }) => ({ ...finding, advice }));
      edge.out(options.json ? json({ checks, failed, warned }) : findings.map(line).join(""));
      if (failed > 0) {
        throw new CommandRefused("failed", `${failed} of ${findings.length} checks failed.`);
      }
    });
}

function line({ state, subject, message, advice }: Finding, place: number, findings: readonly Finding[]): string {
  const next = findings[place + 1];
  // The same advice on several sources is given once, after the last of them.
  const isRepeated = next?.subject === subject && next.advice === advice;
  const what = `${state.padEnd(4)}  ${subject}: ${message}${message.endsWith("?") ? "" : "."}\n`;
  return advice === undefined || isRepeated ? what : `${what}      ${advice}\n`;
}
