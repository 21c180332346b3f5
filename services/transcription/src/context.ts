import { createJobClaims, type JobClaims } from '@recording-request/events/job-claims';
import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import { openInternal } from '@recording-request/kit/internal/internal';
import type { Logger } from '@recording-request/kit/log';
import { createObjects, type Objects } from '@recording-request/kit/objects';
import { measureSound } from './adapters/sound.ts';
import { createSpeech, type Speech } from './adapters/speech.ts';
import type { Config } from './config.ts';

/** The connections that consumers and workflows work with. Disposing closes them. */
export interface Context extends AsyncDisposable {
  config: Config;
  objects: Objects;
  kafka: Kafka;
  claims: JobClaims;
  speech: Speech;
}

const FFMPEG_CHECK_MS = 20_000;

/** Opens the connections. Rejects where ffmpeg is missing, so that a service does not start only to fail at its first job. */
export async function openContext(config: Config, log: Logger): Promise<Context> {
  await using opening = new AsyncDisposableStack();
  const internal = opening.use(await openInternal(config, 'transcription', log));
  await measureSound(Buffer.alloc(0), AbortSignal.timeout(FFMPEG_CHECK_MS));
  const objects = createObjects(config);
  const speech = createSpeech({
    baseUrl: config.speechBaseUrl,
    apiKey: config.speechApiKey,
    model: config.speechModel,
    requestMs: config.requestSeconds * 1000,
  });
  const connecting = connectKafka(config, { clientId: 'transcription', log });
  const kafka = opening.adopt(await connecting, each => each.close());
  const claims = opening.use(createJobClaims(config.submissionsGrpc, internal.peer('submissions')));
  const opened = opening.move();
  return {
    ...{ config, objects, kafka, claims, speech },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
