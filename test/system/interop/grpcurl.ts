// grpcurl, as Go installs it.
import { type GoTool, installGoTool } from "../../fixtures/go-tool.ts";

/** The version that docs and examples name. */
export const GRPCURL: GoTool = { module: "github.com/fullstorydev/grpcurl", version: "v1.9.3", command: "cmd/grpcurl" };

/** Runs before all test files, because several of them need it and run side by side. */
export function setup(): void {
  installGoTool(GRPCURL);
}
