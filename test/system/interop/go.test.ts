// The examples in Go, with grpc-go and connect-go.
import { interop } from "./outcomes.ts";

interop("go");
