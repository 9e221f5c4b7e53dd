// How the tables store yes and no: both databases have whole numbers.

/** 1 for yes, 0 for no. */
export type Flag = 0 | 1;
