// What the runner starts for each server: hands its standard input and output to the host on the Unix socket that is its one argument,
// and ends when the server has.
import { connect } from "node:net";

const socket = connect(process.argv[2] ?? "");
// The runner closes its side as soon as it has asked, and ends the server by a signal.
process.stdin.pipe(socket, { end: false });
socket.pipe(process.stdout);
process.on("SIGTERM", () => socket.end());
socket.on("close", () => process.exit());
