// openapi-generator, as Maven fetches it.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../../fixtures/root.ts";
import { SHORT_JAVA } from "../../../fixtures/short-java.ts";

const VERSION = "7.25.0";
const FOLDER = join(ROOT, "build/tools", `openapi-generator-${VERSION}`);
const JAR = join(FOLDER, `openapi-generator-cli-${VERSION}.jar`);
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
const GENERATE_MS_MAX = 300_000;

/** Runs before all test files, because several of them need it and run side by side. */
export function setup(): void {
  if (existsSync(JAR)) {
    return;
  }
  process.stdout.write(`fetching openapi-generator ${VERSION}\n`);
  // An interrupted download leaves no file that the next run would take for a complete one.
  const own = `${FOLDER}-new`;
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  const artifact = `org.openapitools:openapi-generator-cli:${VERSION}`;
  execFileSync("mvn", ["-q", "-B", COPY, `-Dartifact=${artifact}`, `-DoutputDirectory=${own}`], {
    cwd: own,
    stdio: "inherit",
    env: { ...process.env, MAVEN_OPTS: SHORT_JAVA },
  });
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(own, FOLDER);
}

/** What to generate. */
export interface GenerateOptions {
  /** The generator's name, such as `go`. */
  readonly target: string;
  readonly document: string;
  readonly folder: string;
  /** The generator's own settings, such as `packageName=client`. */
  readonly settings: readonly string[];
}

/** Generates a client. Rejects with what the generator printed if it fails. */
export async function generateClient({ target, document, folder, settings }: GenerateOptions): Promise<void> {
  const own = [...SHORT_JAVA.split(" "), "-jar", JAR, "generate", "-g", target, "-i", document, "-o", folder];
  const without = ["apiTests=false", "modelTests=false", "apiDocs=false", "modelDocs=false"].join();
  const options = ["--global-property", without, ...(settings.length === 0 ? [] : [`--additional-properties=${settings.join()}`])];
  await promisify(execFile)("java", [...own, ...options], { timeout: GENERATE_MS_MAX, maxBuffer: 64 * 1024 * 1024 });
}
