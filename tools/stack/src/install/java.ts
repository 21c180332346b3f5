import { join } from 'node:path';
import type { Log } from '../log.ts';
import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { onPath } from './find.ts';
import { run } from './run.ts';

const OLDEST_JAVA = 17;

/**
 * Returns the path of Java 17 or newer, which Kafka and Zipkin need, from JAVA_HOME, PATH or Debian. Rejects with a sentence
 * that names the version found.
 */
export async function ensureJava({ env, log, signal }: InstallContext): Promise<string> {
  const home = env.JAVA_HOME ? join(env.JAVA_HOME, 'bin/java') : undefined;
  const found = home ?? (await onPath('java', env));
  const version = found ? await javaVersion(found, log) : 0;
  if (found && version >= OLDEST_JAVA) return found;
  if (home)
    throw new Error(
      `JAVA_HOME holds Java ${version || 'of no known version'}; Kafka and Zipkin need ${OLDEST_JAVA} or newer.`,
    );
  await ensureDebian(['openjdk-17-jre-headless'], log, { env, signal, force: true });
  const java = await onPath('java', env);
  if (!java || (await javaVersion(java, log)) < OLDEST_JAVA)
    throw new Error(`Kafka and Zipkin need Java ${OLDEST_JAVA} or newer on PATH.`);
  return java;
}

async function javaVersion(java: string, log: Log): Promise<number> {
  const text = await run(java, ['--version'], { what: 'java --version', log, timeoutMs: 30_000 }).catch(() => '');
  return Number(/^\S+ (\d+)/.exec(text)?.[1] ?? 0);
}
