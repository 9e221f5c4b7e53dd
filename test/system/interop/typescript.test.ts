// The example in TypeScript, with grpc-js.
import { interop } from "./outcomes.ts";

interop("typescript");
