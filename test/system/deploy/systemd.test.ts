// The unit under systemd itself, which runs in namespaces on a throw-away copy of this machine's file system: every command of the page is run
// as it is written, and what follows is what an operator sees.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEAD_UPSTREAMS } from "../../fixtures/dead-upstreams.ts";
import { START } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { describeWith, type Found } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";

const SYSTEMD = "/lib/systemd/systemd";
const NAMESPACES = ["--net", "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--fork", "--mount-proc", "--kill-child=SIGKILL"];
const INSTALLED = ["gen", "plans", "package.json", "build/portal", "deploy", "node_modules"];
const [, section = ""] = /\n## systemd\n(.*?)\n## /s.exec(readFileSync(join(ROOT, "docs/operate/deploy.md"), "utf8")) ?? [];
const [install = "", commands = ""] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text ?? "");

const systemd: Found =
  spawnSync("unshare", [...NAMESPACES, "test", "-x", SYSTEMD]).status === 0
    ? { path: SYSTEMD }
    : { missing: `systemd cannot be run in namespaces: that takes root, util-linux's unshare and ${SYSTEMD}` };

// The program is in /opt/quintet as after `npm ci` and `npm run build:server`. No unit of this machine is started but systemd's own.
const machine = (folder: string): string => `
set -e
mount -t tmpfs tmpfs ${folder} && mkdir ${folder}/upper ${folder}/work ${folder}/root
mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/upper,workdir=${folder}/work ${folder}/root && cd ${folder}/root
mount -t proc proc proc && mount -t sysfs sysfs sys && mount -t cgroup2 cgroup2 sys/fs/cgroup && mount --rbind /dev dev
mount -t tmpfs tmpfs run && mount -t tmpfs tmpfs tmp
rm -rf etc/systemd/system/*.wants etc/quintet var/lib/quintet
for unit in getty.target systemd-udevd.service systemd-logind.service; do ln -sf /dev/null etc/systemd/system/$unit; done
mkdir -p opt/quintet/build opt/quintet/dist
mount --bind ${join(START, "..")} opt/quintet/dist
for each in ${INSTALLED.join(" ")}; do
  if [ -d ${ROOT}/$each ]; then mkdir -p opt/quintet/$each; else touch opt/quintet/$each; fi
  mount --bind ${ROOT}/$each opt/quintet/$each
done
printf '#!/bin/sh\\nexec "$@"\\n' > usr/local/bin/sudo && chmod 755 usr/local/bin/sudo
ip link set lo up
# Not chroot: in that, the unit could make no namespace of users.
mkdir -p run/before && pivot_root . run/before && umount --lazy /run/before && cd /
container=other exec ${SYSTEMD} --system --unit=basic.target --log-target=null --show-status=0
`;

describeWith(systemd, "the systemd unit, on a machine of its own,", () => {
  const { path: folder, remove } = makeTemporaryDirectory("/tmp");
  let process_: ReturnType<typeof spawn>;
  let inside: readonly string[] = [];

  // What a command prints there. Throws with its output if it fails.
  const sh = (script: string): string =>
    execFileSync("nsenter", [...inside, "bash", "-ec", `cd /opt/quintet\n${script}`], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const until = async (script: string): Promise<string> => {
    for (;;) {
      try {
        return sh(script);
      } catch {
        await passed(100);
      }
    }
  };

  beforeAll(async () => {
    writeFileSync(join(folder, "machine.sh"), machine(folder));
    process_ = spawn("unshare", [...NAMESPACES, "bash", join(folder, "machine.sh")], { stdio: "ignore" });
    for (let pid = ""; inside.length === 0; ) {
      pid = spawnSync("ps", ["-o", "pid=", "--ppid", String(process_.pid)], { encoding: "utf8" }).stdout.trim();
      const ready = ["--target", pid, "--all", "--root", "--wd"];
      if (pid !== "" && spawnSync("nsenter", [...ready, "systemctl", "is-active", "basic.target"]).status === 0) {
        inside = ready;
      }
      await passed(100);
    }
  });
  afterAll(async () => {
    process_.kill("SIGKILL");
    remove();
  });

  test("starts with the page's commands, serves, keeps its data over a restart, reloads and stops", async () => {
    sh(install);
    sh(
      `cat >> /etc/quintet/quintet.env <<'END'\n${Object.entries(DEAD_UPSTREAMS)
        .map(([name, value]) => `${name}=${value}`)
        .join("\n")}\nEND`,
    );
    sh("systemctl restart quintet");
    expect(JSON.parse(await until("curl -sf http://127.0.0.1:8080/readyz"))).toEqual({ status: "ready", store: "embedded" });
    sh(commands);
    const [functions = ""] = /^quintet\(\) \{.*?^\}/ms.exec(commands) ?? [];
    sh(`${functions}\nquintet subscription create acme farkle`);
    const { secret } = JSON.parse(sh(`${functions}\nquintet key create acme --json`));
    const call = `curl -s -o /dev/null -w '%{http_code}' -H 'x-gateway-key: ${secret}' 'http://127.0.0.1:8080/farkle/v1/score?dice=1'`;
    expect(sh(call)).toBe("200");

    sh("sudo systemctl restart quintet");
    await until("curl -sf http://127.0.0.1:8080/readyz");
    expect(sh(call)).toBe("200");
    sh("sudo systemctl reload quintet");
    expect(sh(`systemctl is-active quintet; ${call}`)).toBe("active\n200");
    // Its user exists only while it runs, and owns the data.
    expect(sh("stat -Lc '%U %a' /var/lib/quintet; systemctl show --value -p User quintet")).toMatch(/^quintet 700\n/);

    sh("sudo systemctl stop quintet");
    expect(sh("systemctl show --value -p Result -p ExecMainStatus quintet").split("\n").filter(Boolean).toSorted()).toEqual([
      "0",
      "success",
    ]);
  });
});
