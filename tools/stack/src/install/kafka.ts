import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, installOnce } from './cache.ts';
import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { ensureJava } from './java.ts';
import { run } from './run.ts';

const KAFKA = '4.3.0';
const LOG4J = '2.25.4';
const LIMIT_MS = 10 * 60_000;

/** The folder of Kafka's jars, and the java that runs them. */
export interface KafkaInstall {
  libs: string;
  java: string;
}

/** Finds or installs Kafka's jars (KAFKA_LIBS, the cache, the registry) and Java 17 or newer (JAVA_HOME, PATH, Debian). */
export async function ensureKafka(context: InstallContext): Promise<KafkaInstall> {
  const java = await ensureJava(context);
  return { java, libs: await ensureLibs(context) };
}

async function ensureLibs(context: InstallContext): Promise<string> {
  const { env, log, signal } = context;
  if (env.KAFKA_LIBS) {
    const jars = await readdir(env.KAFKA_LIBS).catch(() => []);
    if (!jars.some(jar => /^kafka_.*\.jar$/.test(jar)))
      throw new Error('KAFKA_LIBS does not name a folder that holds Kafka’s jars.');
    return env.KAFKA_LIBS;
  }
  return installOnce({
    root: cacheRoot(env),
    name: `kafka-${KAFKA}`,
    log,
    signal,
    fill: into => fetchJars(into, context),
  });
}

async function fetchJars(into: string, { env, log, signal }: InstallContext): Promise<void> {
  await ensureDebian(['maven'], log, { env, signal });
  log(`downloading Kafka ${KAFKA} (44 MB) …`);
  const pom = join(into, 'pom.xml');
  const jars = join(into, 'jars');
  await writeFile(pom, POM);
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jars}`];
  await run('mvn', ['--batch-mode', '--file', pom, ...goal], {
    what: `downloading Kafka ${KAFKA}`,
    log,
    signal,
    env,
    timeoutMs: LIMIT_MS,
  });
  for (const jar of await readdir(jars)) await rename(join(jars, jar), join(into, jar));
  await rm(jars, { recursive: true });
}

/**
 * Adds log4j-slf4j-impl, which is not a dependency of the broker. Without it, the broker logs nothing, not even the
 * reason of a failed start.
 */
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>kafka-libs</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA}</version></dependency>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>${LOG4J}</version></dependency>
  </dependencies>
</project>
`;
