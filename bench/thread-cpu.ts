// CPU time of this thread. Unlike wall time, it excludes the time in which other programs run.

/** The CPU time that this thread has used so far, in microseconds, including garbage collection. */
export function threadCpuUs(): number {
  // Linux updates the count of a thread when it counts the process.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
