// A worker thread that cannot begin.
throw new Error("There is no beginning.");
