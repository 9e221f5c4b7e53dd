// The example in shell, with curl and jq, and the calls that its README shows with grpcurl and buf curl.
import { delimiter, dirname } from "node:path";
import { installGoTool } from "../../fixtures/go-tool.ts";
import { GRPCURL } from "./grpcurl.ts";
import { interop } from "./outcomes.ts";

process.env.PATH = [dirname(installGoTool(GRPCURL)), process.env.PATH].join(delimiter);

interop("shell");
