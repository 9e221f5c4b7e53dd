// The version of this program, as package.json has it.
import manifest from "../../package.json" with { type: "json" };

/** The version, such as `1.2.3`. */
export const version: string = manifest.version;
