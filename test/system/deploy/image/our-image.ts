// The image of deploy/Dockerfile: what it is made of, and what runs in it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../fixtures/root.ts";
import type { Found } from "../../../fixtures/servers/server-process.ts";
import { debianPackages } from "./debian-packages.ts";
import { readDockerfile, type Stage, textOf } from "./dockerfile.ts";
import { BASES, buildImage, type ImageRoot } from "./image-root.ts";

const stages = readDockerfile(readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8"));
const last = stages.at(-1) as Stage;
export const ENTRYPOINT = JSON.parse(textOf(last, "ENTRYPOINT")) as string[];
export const CMD = JSON.parse(textOf(last, "CMD")) as string[];
export const HEALTHCHECK = JSON.parse(/CMD (.+)$/.exec(textOf(last, "HEALTHCHECK"))?.[1] ?? "") as string[];
/** Debian's packages that its base image consists of. */
export const BASE_PACKAGES = BASES[last.base]?.packages ?? [];

// The Debian packages of the stages before the last.
const downloaded = stages.flatMap(({ instructions }) =>
  instructions.flatMap(({ text }) =>
    [...text.matchAll(/apt-get download ((?:[a-z][\w.+-]* ?)+)/g)].flatMap(([, names]) => names?.trim().split(" ") ?? []),
  ),
);

/** The folder of the packages that it is made of, which are downloaded first if necessary. */
export const imagePackages: Found = findPackages();

function findPackages(): Found {
  if (process.getuid?.() !== 0) {
    return { missing: "only root may make a file system that a program is then confined to" };
  }
  const base = BASES[last.base];
  return base === undefined
    ? { missing: `this machine does not know which packages ${last.base} has` }
    : debianPackages(base.release, [...base.packages, ...downloaded]);
}

/** Builds it in an empty folder. */
export const buildOurImage = (folder: string): ImageRoot =>
  buildImage(stages, "path" in imagePackages ? imagePackages.path : "", folder);
