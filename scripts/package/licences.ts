// Collects the licences of all packages in the bundles into one file.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BundledPackage } from "./bundled-packages.ts";

const require = createRequire(import.meta.url);
const RULE = `\n${"-".repeat(80)}\n\n`;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** The licences as text. Throws if a package has no licence text, and SPDX has none by the name that it gives. */
export function licencesText(packages: readonly BundledPackage[]): string {
  const head =
    "Quintet itself is under the Apache License 2.0: see LICENSE. It contains code or data of the following packages.\n" +
    "The protos in proto/third_party are under the Apache License 2.0 too, with their authors' own notices.\n";
  // Many packages have the same text.
  const byText = Map.groupBy(packages, textOf);
  return [head, ...[...byText].map(([text, sharers]) => `${sharers.map(line).join("\n")}\n\n${text}\n`)].join(RULE);
}

const line = ({ name, version, license, author }: BundledPackage): string =>
  `${name} ${version}, ${license}${author === undefined ? "" : `, by ${author}`}`;

function textOf({ license, directory }: BundledPackage): string {
  const files = readdirSync(directory).filter((file) => LICENCE_FILE.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(directory, file), "utf8").trim());
  return (texts.length > 0 ? texts : [commonText(license)]).join("\n\n");
}

// The licence texts for packages that name licences, such as `(Apache-2.0 AND BSD-3-Clause)`, without including them.
const commonText = (expression: string): string =>
  (expression.match(/[\w.-]+/g) ?? [])
    .filter((word) => !["AND", "OR", "WITH"].includes(word))
    .map((id) => require(`spdx-license-list/licenses/${id}.json`).licenseText.trim())
    .join("\n\n");
