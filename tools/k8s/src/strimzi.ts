import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { InstallContext } from '@recording-request/stack/install/context';
import { ensureDebian } from '@recording-request/stack/install/debian';
import { ensureJava } from '@recording-request/stack/install/java';
import { run } from '@recording-request/stack/install/run';

/** The version of Strimzi's Java API. */
export const STRIMZI = '0.51.0';

// The version of a Java compiler that is a jar. It needs only a Java runtime.
const COMPILER = '3.33.0';
const SOURCE = new URL('../strimzi/CustomResources.java', import.meta.url).pathname;
const CLASSES = ['kafka.Kafka', 'nodepool.KafkaNodePool', 'topic.KafkaTopic', 'user.KafkaUser'];
const LIMIT_MS = 10 * 60_000;

/**
 * Writes the definitions of Strimzi's resources to a folder. No registry has them as files: strimzi/CustomResources.java generates them
 * from the classes of the Java API. Rejects with a sentence that names the missing program.
 */
export async function writeStrimziResources(into: string, context: InstallContext): Promise<void> {
  const { env, log, signal } = context;
  const java = await ensureJava(context);
  await ensureDebian(['maven'], log, { env, signal });
  const dir = await mkdtemp(join(tmpdir(), 'strimzi-'));
  try {
    const pom = join(dir, 'pom.xml');
    const jars = join(dir, 'jars');
    await writeFile(pom, POM);
    const step = (what: string, command: string, args: string[]) =>
      run(command, args, { what, log, signal, env, timeoutMs: LIMIT_MS });
    log(`downloading Strimzi's API ${STRIMZI} (21 MB) …`);
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jars}`];
    await step("downloading Strimzi's API", 'mvn', ['--batch-mode', '--file', pom, ...goal]);
    const path = (await readdir(jars)).map(jar => join(jars, jar)).join(delimiter);
    const compiler = ['-cp', path, 'org.eclipse.jdt.internal.compiler.batch.Main'];
    await step('compiling CustomResources.java', java, [...compiler, '-17', '-nowarn', '-cp', path, '-d', dir, SOURCE]);
    const classes = CLASSES.map(name => `io.strimzi.api.kafka.model.${name}`);
    await step("reading Strimzi's API", java, [
      '-cp',
      `${dir}${delimiter}${path}`,
      'CustomResources',
      into,
      ...classes,
    ]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>strimzi-api</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>io.strimzi</groupId><artifactId>api</artifactId><version>${STRIMZI}</version></dependency>
    <dependency><groupId>org.eclipse.jdt</groupId><artifactId>ecj</artifactId><version>${COMPILER}</version></dependency>
  </dependencies>
</project>
`;
