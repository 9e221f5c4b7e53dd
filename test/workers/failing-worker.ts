// A worker thread that fails at its start.
throw new Error("This worker fails at its start.");
