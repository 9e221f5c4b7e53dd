// How the tables store booleans: as whole numbers, which both databases have.

/** 1 for yes, 0 for no. */
export type Flag = 0 | 1;
