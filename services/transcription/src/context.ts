import { createJobClaims, type JobClaims } from '@recording-request/events/job-claims';
import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import type { Logger } from '@recording-request/kit/log';
import { openAll } from '@recording-request/kit/open-all';
import { type Limits, openSandbox, type Sandbox } from '@recording-request/kit-ffmpeg/sandbox';
import { createObjects, type Objects } from '@recording-request/kit-objects/objects';
import { openInternal } from '@recording-request/kit-rpc/internal/internal';
import { createSpeech, type Speech } from './adapters/speech.ts';
import type { Config } from './config.ts';

/** The connections of consumers and workflows. Disposing closes them. */
export interface Context extends AsyncDisposable {
  config: Config;
  objects: Objects;
  kafka: Kafka;
  claims: JobClaims;
  speech: Speech;
  sandbox: Sandbox<'ffmpeg'>;
}

// Zero, because ffmpeg reads and writes only pipes, never a file.
const TOOL_FILE_BYTES = 0;
const TOOL_OPEN_FILES = 64;
const TOOL_PROCESSES = 8_192;

/** Opens the connections. Rejects when ffmpeg is missing. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opening = new AsyncDisposableStack();
  const internal = opening.use(await openInternal(config, 'transcription', log));
  const [sandbox, kafka] = await openAll(opening, [
    openSandbox(limitsOf(config), log),
    connectKafka(config, { clientId: 'transcription', log }),
  ]);
  const objects = createObjects(config);
  const speech = createSpeech({
    baseUrl: config.speechBaseUrl,
    apiKey: config.speechApiKey,
    model: config.speechModel,
    requestMs: config.requestSeconds * 1000,
  });
  const claims = opening.use(createJobClaims(config.submissionsGrpc, internal.peer('submissions')));
  const opened = opening.move();
  return {
    ...{ config, objects, kafka, claims, speech, sandbox },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const limitsOf = ({ toolMemoryBytes, toolCpuSeconds }: Config): Limits<'ffmpeg'> => ({
  memoryBytes: { ffmpeg: toolMemoryBytes },
  cpuSeconds: { ffmpeg: toolCpuSeconds },
  fileBytes: TOOL_FILE_BYTES,
  openFiles: TOOL_OPEN_FILES,
  processes: TOOL_PROCESSES,
});
