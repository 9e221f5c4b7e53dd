// The examples in Python, with grpcio.
import { interop } from "./outcomes.ts";

interop("python");
