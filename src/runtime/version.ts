// The version of this program, from package.json.
import manifest from "../../package.json" with { type: "json" };

/** The version, such as `1.2.3`. */
export const version: string = manifest.version;
