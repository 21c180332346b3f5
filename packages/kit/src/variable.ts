/**
 * One variable: what it is for, and how its text becomes a value. `parse` throws an Error that says what is expected, in words that
 * follow the name; `env` has the others, where one depends on another.
 */
export interface Variable<T> {
  name: string;
  /** What it is for, in Markdown that docs/settings.md has. */
  description: string;
  /** What its text must be, in words that follow `must be`. */
  expected: string;
  /** What holds while it is not set, in Markdown, where the value of then would say too little. */
  unset?: string;
  /** A secret may come from a file instead, which the variable with `_FILE` after its name names. */
  isSecret?: boolean;
  required: boolean;
  parse(text: string | undefined, env: NodeJS.ProcessEnv): T;
}
