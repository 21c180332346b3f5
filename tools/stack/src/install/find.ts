import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Returns the path of an executable with this name on PATH, or undefined. */
export async function onPath(command: string, env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    if (dir && (await isExecutable(join(dir, command)))) return join(dir, command);
  }
  return undefined;
}

/** Returns the file that a variable names, or undefined when it is not set. Rejects when the variable names no executable file. */
export async function namedBy(variable: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const path = env[variable];
  if (!path) return undefined;
  if (!(await isExecutable(path))) throw new Error(`${variable} does not name an executable file.`);
  return path;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
