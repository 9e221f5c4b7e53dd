// The example in Rust, with tonic.
import { interop } from "./outcomes.ts";

interop("rust");
