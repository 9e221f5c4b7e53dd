// The client in Java that openapi-generator makes for the JDK's own HTTP client.
import { globSync } from "node:fs";
import { join } from "node:path";
import { SHORT_JAVA } from "../../../fixtures/short-java.ts";
import { clientSuite } from "./client-suite.ts";
import { generateClient } from "./openapi-generator.ts";

const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
const PACKAGES = ["invokerPackage=quintet.client", "apiPackage=quintet.client.api", "modelPackage=quintet.client.model"];

clientSuite({
  name: "java",
  async build({ folder, document, run }) {
    const client = join(folder, "client");
    // What it generates for a set of an enum in a query does not compile, and nothing needs it. A list that was not sent is null, so that
    // it differs from an empty one.
    const settings = ["library=native", "supportUrlQuery=false", "containerDefaultToNull=true", ...PACKAGES];
    await generateClient({ target: "java", document, folder: client, settings });
    // Without Maven's plugins, all of which the generated pom.xml would fetch.
    await run("mvn", ["-q", "-B", COPY, "-DincludeScope=compile", "-DoutputDirectory=libraries"], {
      folder: "client",
      environment: { MAVEN_OPTS: SHORT_JAVA },
    });
    const sources = globSync("src/main/java/**/*.java", { cwd: client });
    const caller = join(import.meta.dirname, "callers/Call.java");
    const quick = SHORT_JAVA.split(" ").map((option) => `-J${option}`);
    const options = [...quick, "-nowarn", "-parameters", "-proc:none", "-cp", "libraries/*", "-d", join(folder, "classes")];
    await run("javac", [...options, ...sources, caller], { folder: "client" });
    return ["java", "-cp", [join(folder, "classes"), join(client, "libraries/*")].join(":"), "Call"];
  },
});
