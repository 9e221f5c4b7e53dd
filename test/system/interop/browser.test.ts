// The page with connect-web, in Chromium.
import { join } from "node:path";
import { interop } from "./outcomes.ts";

interop("browser", [{ start: `node ${join(import.meta.dirname, "page.ts")}`, name: "connect-web" }]);
