import { connectKafka } from '@recording-request/events/kafka';
import { startGrpcServer } from '@recording-request/kit/grpc-server';
import { type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { createObjects } from '@recording-request/kit/objects';
import { soundLevels } from './adapters/sound-levels.ts';
import { createSpeech } from './adapters/speech.ts';
import type { Config } from './config.ts';
import { onTranscriptRequested } from './consumers/transcript-requested.ts';

export interface TranscriptionService extends RunningService {
  /** `host:port` of gRPC, which serves health alone. */
  grpcAddress: string;
}

// A job that ends by then is committed; a longer one is given up, and done by whoever takes it over.
const STOP_GRACE_MS = 10_000;
const START_MS = 20_000;

/** Takes requests for transcripts until it is stopped. */
export async function startService(config: Config, log: Logger): Promise<TranscriptionService> {
  // Rejects where there is no ffmpeg: better now than at the first clip.
  await soundLevels(Buffer.alloc(0), AbortSignal.timeout(START_MS));
  const objects = createObjects(config);
  const speech = createSpeech({
    baseUrl: config.speechBaseUrl,
    apiKey: config.speechApiKey,
    model: config.speechModel,
    requestMs: config.requestSeconds * 1000,
  });
  const kafka = await connectKafka(config, { clientId: 'transcription', log });
  const ending = new AbortController();
  const jobMs = config.jobSeconds * 1000;
  const room = { objects, kafka, speech, jobMs, maxAttempts: config.attempts, speechDb: config.speechDb };
  const server = await startGrpcServer({ listen: config.grpcListen, services: [], log });
  await kafka.consume({
    topic: 'transcription.work',
    group: 'transcription',
    concurrency: config.slots,
    jobLimitMs: jobMs,
    handle: (event, context) =>
      onTranscriptRequested(event, { ...context, signal: AbortSignal.any([context.signal, ending.signal]) }, room),
  });
  const stop = async () => {
    const timer = setTimeout(() => ending.abort(new Error('the service stops')), STOP_GRACE_MS);
    await stopAll([() => Promise.all([server.close(STOP_GRACE_MS), kafka.close()])]);
    clearTimeout(timer);
  };
  return { grpcAddress: server.address, stop, [Symbol.asyncDispose]: stop };
}
