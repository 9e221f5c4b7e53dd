// The texts that are searched stand end to end as UTF-16 codes, each led by a mark that says what it is. Marks are below any
// character of a cleaned text.

/** Leads the symbol. */
export const SYMBOL_MARK = 1;
/** Leads a symbol that only some of the lists give. */
export const OTHER_SYMBOL_MARK = 2;
/** Leads the name. */
export const NAME_MARK = 3;
/** Leads a name that only some of the lists give. */
export const OTHER_NAME_MARK = 4;

/** Whether a code is a mark. */
export const isMark = (code: number): boolean => code <= OTHER_NAME_MARK;
