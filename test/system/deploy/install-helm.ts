// Installs helm for the tests of the chart, if it is not installed yet.
import { installGoTool } from "../../fixtures/go-tool.ts";
import { HELM } from "./manifests.ts";

installGoTool(HELM);
