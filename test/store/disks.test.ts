// Disks that cannot be written to: a server refuses to start on one, and recovers when a full disk has space again.
import { expect, test } from "vitest";
import { DEAD_UPSTREAMS } from "../fixtures/dead-upstreams.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { mountTool, runOnSmallDisk } from "./small-disk.ts";

const SERVE = 'timeout 50 "$NODE" "$QUINTET" serve';
const MIGRATE = '"$NODE" "$QUINTET" migrate --init >/dev/null';
const FILL = "dd if=/dev/zero of=filler bs=4k 2>/dev/null";
const DISK_FULL =
  "The disk of the data directory <data> is full. Make room, or point QUINTET_DATA_DIR to a directory on another disk.";
const readOnly = (path: string): string => `mount --bind "${path}" "${path}" && mount -o remount,ro,bind "${path}"`;

describeWith(mountTool, "a start is refused with one line", () => {
  const cannotBeUsed = (reason: string): string =>
    `The data directory <data> cannot be used: ${reason}. Check its permissions and the disk, or point QUINTET_DATA_DIR to another.`;
  test.each([
    {
      title: "a read-only database file",
      script: `${MIGRATE} && ${readOnly("data/quintet.db")} && ${SERVE}`,
      line: cannotBeUsed("attempt to write a readonly database"),
    },
    {
      title: "a read-only directory",
      script: `${MIGRATE} && ${readOnly("data")} && ${SERVE}`,
      line: cannotBeUsed("EROFS: read-only file system, open '<data>/server.lock'"),
    },
    {
      title: "a full disk with a database",
      script: `${MIGRATE}; ${FILL}; ${SERVE}`,
      line: DISK_FULL,
    },
    {
      title: "a full disk without a database",
      script: `mkdir -m 700 data; ${FILL}; ${SERVE}`,
      line: DISK_FULL,
    },
    {
      title: "a file of another format",
      script: `mkdir -m 700 data; head -c 5000 /dev/zero >data/quintet.db; ${SERVE}`,
      line: "<data>/quintet.db is not a database. Move it away, or point QUINTET_DATA_DIR to another directory.",
    },
  ])("on $title", async ({ script, line }) => {
    const directory = temporaryDirectory();
    const dataDir = `${directory}/data`;
    const variables = { ...DEAD_UPSTREAMS, QUINTET_DATA_DIR: dataDir, QUINTET_PORT: "0", QUINTET_WORKERS: "1" };
    expect(await runOnSmallDisk(directory, script, variables)).toEqual({
      code: 5,
      out: "",
      err: `quintet: ${line.replaceAll("<data>", dataDir)}\n`,
    });
  });
});

describeWith(mountTool, "a database on a disk that was full", () => {
  test("is written to again once no reader holds its log, or once there is space", async () => {
    const directory = temporaryDirectory();
    const script = 'timeout 50 "$NODE" "$PROJECT/test/store/small-disk-writer.ts" "$0/data"';
    const { code, out, err } = await runOnSmallDisk(directory, script);
    expect({ code, err, found: JSON.parse(out || "{}") }).toEqual({
      code: 0,
      err: "",
      found: {
        fullWhileRead: true,
        stillFull: true,
        healedAfterReader: true,
        filled: true,
        fullWithFiller: true,
        healedWithRoom: true,
        logIsBounded: true,
      },
    });
  });
});
