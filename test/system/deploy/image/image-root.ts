// Builds the file system of the image as its Dockerfile says, without Docker and without a registry: the stages are built in mount
// namespaces, and the packages of the last stage's base are Debian's own. Programs then run in it as a container would run them.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { ROOT } from "../../../fixtures/root.ts";
import { environmentOf, type Instruction, type Stage, textOf } from "./dockerfile.ts";

/** The packages of the known base images, as listed in the `config.bzl` files of github.com/GoogleContainerTools/distroless. */
export const BASES: Readonly<Record<string, { readonly release: string; readonly packages: readonly string[] }>> = {
  "gcr.io/distroless/cc-debian12:nonroot": {
    release: "bookworm",
    packages: [
      ...["base-files", "ca-certificates", "media-types", "netbase", "tzdata"],
      ...["libc6", "libssl3"],
      ...["gcc-12-base", "libgcc-s1", "libgomp1", "libstdc++6"],
    ],
  },
};

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Instructions that change no files of the image. */
const WITHOUT_FILES = ["ARG", "CMD", "ENTRYPOINT", "ENV", "EXPOSE", "HEALTHCHECK", "LABEL", "STOPSIGNAL", "USER", "VOLUME"];

// Our builds have no network: what apt-get would download is already there.
const APT_GET = `#!/bin/sh
case $1 in
  update) ;;
  download) shift; for name in "$@"; do cp /debian/"$name"_*.deb . || exit 1; done ;;
  *) echo "apt-get $1 is not known here" >&2; exit 1 ;;
esac
`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

// This machine's system instead of the build's base, which is Debian too, with the Node that package.json pins.
const hostSystem = (root: string, packages: string, tools: string): readonly string[] => [
  `for entry in bin dev etc lib lib32 lib64 proc sbin usr; do`,
  `  if [ -L /$entry ]; then cp -P /$entry ${root}/`,
  `  elif [ -d /$entry ]; then mkdir ${root}/$entry && mount --rbind /$entry ${root}/$entry; fi`,
  `done`,
  `mkdir -m 1777 ${root}/tmp && mkdir ${root}/debian && mount --bind ${quoted(packages)} ${root}/debian`,
  `mount --rbind ${quoted(tools)} ${root}/usr/local && mount --bind ${quoted(join(ROOT, "node_modules/node/bin/node"))} ${root}/usr/local/bin/node`,
];

function copy(text: string, root: string, workdir: string, roots: ReadonlyMap<string, string>): readonly string[] {
  const words = text.split(/\s+/);
  const flags = words.filter((word) => word.startsWith("--"));
  const flag = (name: string): string | undefined => flags.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
  const paths = words.filter((word) => !word.startsWith("--"));
  const target = paths.at(-1) ?? "";
  const from = flag("from");
  const source = from === undefined ? ROOT : roots.get(from);
  if (source === undefined) {
    throw new Error(`COPY names the stage "${from}", which is not there`);
  }
  const to = root + posix.resolve(workdir, target);
  const lines = paths.slice(0, -1).flatMap((path) => {
    const [file, place] = [quoted(join(source, path)), quoted(target.endsWith("/") ? join(to, basename(path)) : to)];
    return [
      `if [ -d ${file} ]; then mkdir -p ${quoted(to)} && cp -a ${file}/. ${quoted(to)}/`,
      `else mkdir -p "$(dirname ${place})" && cp -L --preserve=mode ${file} ${place}; fi`,
    ];
  });
  const owner = flag("chown");
  return owner === undefined ? lines : [...lines, `chown -R ${owner} ${quoted(to)}`];
}

function run(command: string, root: string, workdir: string): readonly string[] {
  if (command.startsWith("npm ci ")) {
    const modules = root + posix.resolve(workdir, "node_modules");
    return [`mkdir -p ${modules} && mount --bind ${quoted(join(ROOT, "node_modules"))} ${modules}`];
  }
  return [`env -i PATH=${PATH} HOME=/root chroot ${root} /bin/sh -c ${quoted(`cd ${workdir} && ${command}`)}`];
}

function build(instructions: readonly Instruction[], root: string, roots: ReadonlyMap<string, string>): readonly string[] {
  let workdir = "/";
  return instructions.flatMap(({ keyword, text }) => {
    if (keyword === "WORKDIR") {
      workdir = posix.resolve(workdir, text);
      return [`mkdir -p ${root}${workdir}`];
    }
    if (keyword === "COPY" || keyword === "RUN") {
      return keyword === "COPY" ? copy(text, root, workdir, roots) : run(text, root, workdir);
    }
    if (!WITHOUT_FILES.includes(keyword)) {
      throw new Error(`it is not known here what ${keyword} does`);
    }
    return [];
  });
}

// What the base image has besides its packages.
const distroless = (root: string, packages: string, names: readonly string[]): readonly string[] => [
  ...names.map((name) => `dpkg -x ${packages}/${name}_*.deb ${root}`),
  `mkdir -p ${root}/etc/ssl/certs ${root}/home/nonroot ${root}/dev ${root}/proc ${root}/tmp && chmod 1777 ${root}/tmp`,
  `cat ${root}/usr/share/ca-certificates/mozilla/*.crt > ${root}/etc/ssl/certs/ca-certificates.crt`,
  `echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' > ${root}/etc/passwd`,
  `echo 'nonroot:x:65532:' > ${root}/etc/group`,
];

/** The image's file system. */
export interface ImageRoot {
  readonly path: string;
  /**
   * A command that runs a program of the image as its USER, in its WORKDIR, with its ENV, on a root where only its VOLUME is writable: by
   * default one that all programs share, otherwise that in the folder of a container.
   */
  command(program: readonly string[], volume?: string): readonly [file: string, ...args: string[]];
  /** Makes the folder of a container's volume: a copy of what the image has there, with its owner. */
  makeVolume(folder: string): void;
  readonly environment: Readonly<Record<string, string>>;
}

/** Builds the image in an empty folder from the result of `readDockerfile` and the folder of packages. Throws with a command's output. */
export function buildImage(stages: readonly Stage[], packages: string, folder: string): ImageRoot {
  const last = stages.at(-1) as Stage;
  const tools = join(folder, "tools");
  mkdirSync(join(tools, "bin"), { recursive: true });
  writeFileSync(join(tools, "bin/apt-get"), APT_GET, { mode: 0o755 });
  writeFileSync(join(tools, "bin/node"), "");
  // The file that Node's image has, without its text.
  writeFileSync(join(tools, "LICENSE"), "Node.js is licensed for use as follows:\n");
  const roots = new Map<string, string>();
  const lines: string[] = [];
  for (const [index, stage] of stages.entries()) {
    const root = join(folder, `stage-${index}`);
    const base = BASES[stage.base]?.packages;
    if (stage === last && base === undefined) {
      throw new Error(`it is not known here which packages ${stage.base} has`);
    }
    mkdirSync(root);
    lines.push(...(base === undefined ? hostSystem(root, packages, tools) : distroless(root, packages, base)));
    lines.push(...build(stage.instructions, root, roots));
    roots.set(stage.name ?? String(index), root);
  }
  inNamespace(lines);

  const path = join(folder, `stage-${stages.length - 1}`);
  const volume = textOf(last, "VOLUME");
  const makeVolume = (data: string): void => {
    execFileSync("cp", ["-a", join(path, volume), data]);
  };
  const shared = join(folder, "volume");
  makeVolume(shared);
  const [uid, gid] = textOf(last, "USER").split(":") as [string, string];
  const script = [
    "set -e",
    `mount --bind ${path} ${path}`,
    `mount --rbind /dev ${path}/dev && mount --rbind /proc ${path}/proc && mount --bind "$1" ${path}${volume}`,
    `mount -o remount,bind,ro ${path}`,
    "shift",
    `exec setpriv --no-new-privs unshare --root=${path} --wd=${textOf(last, "WORKDIR")} --setgid ${gid} --setuid ${uid} "$@"`,
  ].join("\n");
  return {
    path,
    command: (program, data = shared) => ["unshare", "--mount", "bash", "-c", script, "container", data, ...program],
    makeVolume,
    environment: { PATH, ...environmentOf(last) },
  };
}

function inNamespace(lines: readonly string[]): void {
  execFileSync("unshare", ["--mount", "bash", "-e", "-c", lines.join("\n")], { stdio: ["ignore", "ignore", "pipe"] });
}
