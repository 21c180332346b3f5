/** Prints one line for a person to read; the argument has no line end. */
export type Log = (line: string) => void;
