/** Takes one line for a person to read, without its line end. */
export type Log = (line: string) => void;
