/**
 * One variable: its purpose, and the conversion of its text to a value. `parse` throws an Error that describes a
 * valid value in words that follow the name; `env` has the other variables, for values that depend on them.
 */
export interface Variable<T> {
  name: string;
  /** The purpose of the variable, in Markdown for docs/settings.md. */
  description: string;
  /** The valid texts, in words that follow `must be`. */
  expected: string;
  /** The effect of an unset variable, in Markdown, if the default value alone does not explain it. */
  unset?: string;
  /** A secret may also come from a file, which the variable `<name>_FILE` names. */
  isSecret?: boolean;
  required: boolean;
  parse(text: string | undefined, env: NodeJS.ProcessEnv): T;
}
