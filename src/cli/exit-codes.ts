// The exit codes of commands: one for each kind of failure, so that a script knows what to do without reading the message.

/** Name → the code, and when a command ends with it. The table in docs/operate/commands.md is made from this. */
export const EXIT_CODES = {
  done: { code: 0, when: "The command succeeded." },
  failed: { code: 1, when: "It failed for a reason other than those below; for `doctor`, a check failed." },
  usage: {
    code: 2,
    when: "The command line has an unknown command, an unknown option or an invalid value. Correct it.",
  },
  notFound: { code: 3, when: "What the command line names does not exist: an account, a key, a subscription." },
  conflict: {
    code: 4,
    when: "What the command line names is in a state that does not allow the command: for example, a revoked key, or a name that is taken.",
  },
  store: {
    code: 5,
    when: "The database, the data directory, a backup or the server cannot be reached or used. If the database does not respond, try again.",
  },
  settings: { code: 6, when: "A setting or the plan file is wrong." },
} as const;

export type ExitName = keyof typeof EXIT_CODES;
export type ExitCode = (typeof EXIT_CODES)[ExitName]["code"];
