// The version of this program, from package.json, and that of the interface it serves.
import manifest from "../../package.json" with { type: "json" };

/** The version, such as `1.2.3`. */
export const version: string = manifest.version;

/** The interface's own version. It changes with the paths and packages, not with the program: docs/versions.md. */
export const apiVersion = "1.0.0";
