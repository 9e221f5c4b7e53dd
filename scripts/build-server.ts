// `npm run build:server`: bundles the program into dist/. `npm start` runs the sources as before.
import { bundleServer } from "./package/server-bundle.ts";

await bundleServer("dist");
