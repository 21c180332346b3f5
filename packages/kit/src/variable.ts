/**
 * One variable: its name and how its text becomes a value. `parse` throws an Error that says what is expected, in words that
 * follow the name; `env` has the others, where one depends on another.
 */
export interface Variable<T> {
  name: string;
  required: boolean;
  parse(text: string | undefined, env: NodeJS.ProcessEnv): T;
}
