// The command that the runner starts for each server. It connects its standard input and output to the host, on the Unix socket that is its
// only argument, and ends when the server has ended.
import { connect } from "node:net";

const socket = connect(process.argv[2] ?? "");
// The runner closes standard input right after its request, and stops the server by a signal.
process.stdin.pipe(socket, { end: false });
socket.pipe(process.stdout);
process.on("SIGTERM", () => socket.end());
socket.on("close", () => process.exit());
