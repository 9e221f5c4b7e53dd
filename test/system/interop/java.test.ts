// The example in Java, with grpc-java.
import { interop } from "./outcomes.ts";

interop("java");
