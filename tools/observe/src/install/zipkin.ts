import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { ensureDebian } from '@recording-request/stack/install/debian';
import { ensureJava } from '@recording-request/stack/install/java';
import { run } from '@recording-request/stack/install/run';

const VERSION = '3.6.1';
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
const LIMIT_MS = 15 * 60_000;

/** Zipkin's jar, which includes its pages, and the java that runs it. */
export interface ZipkinInstall {
  jar: string;
  java: string;
}

/** Finds or installs Zipkin (ZIPKIN_JAR, the cache, the registry) and Java 17 or newer. */
export async function ensureZipkin(context: InstallContext): Promise<ZipkinInstall> {
  const { env, log, signal } = context;
  const java = await ensureJava(context);
  if (env.ZIPKIN_JAR) return { java, jar: env.ZIPKIN_JAR };
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `zipkin-${VERSION}`,
    log,
    signal,
    fill: into => download(into, context),
  });
  return { java, jar: join(dir, 'zipkin.jar') };
}

async function download(into: string, { env, log, signal }: InstallContext): Promise<void> {
  await ensureDebian(['maven'], log, { env, signal });
  const what = `downloading Zipkin ${VERSION} (135 MB)`;
  log(`${what} …`);
  const artifact = `io.zipkin:zipkin-server:${VERSION}:jar:exec`;
  const args = ['--batch-mode', COPY, `-Dartifact=${artifact}`, `-DoutputDirectory=${into}`];
  // This folder is empty, so Maven finds no project in it.
  await run('mvn', args, { what, log, signal, env, cwd: into, timeoutMs: LIMIT_MS });
  const jar = (await readdir(into)).find(name => name.endsWith('.jar'));
  if (!jar) throw new Error('Maven downloaded no Zipkin: set ZIPKIN_JAR to the path of its executable jar.');
  await rename(join(into, jar), join(into, 'zipkin.jar'));
}
