import { newEvent } from '@recording-request/events/event';
import { asOutage } from '@recording-request/events/job-claims';
import type { Kafka } from '@recording-request/events/kafka';
import type { EventType } from '@recording-request/events/topics';
import { answerId } from '@recording-request/kit/ids';
import type { Logger } from '@recording-request/kit/log';
import type { Event, TranscriptRequested } from '@recording-request/proto/events/v1/events';
import { soundLevels } from '../adapters/sound-levels.ts';
import { readAudio } from '../adapters/stored-audio.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { mayHoldSpeech } from '../domain/speech-levels.ts';
import { SILENCE, type Transcript, transcriptOf } from '../domain/transcript.ts';
import { NoTranscriptError, recognizeSpeech } from './recognize-speech.ts';

export interface TranscribeDeps extends Pick<Context, 'objects' | 'speech'> {
  kafka: Pick<Kafka, 'publish'>;
  config: Pick<Config, 'jobSeconds' | 'attempts' | 'speechDb'>;
}

// The largest file that speech-to-text accepts in one request.
const AUDIO_MAX_BYTES = 25_000_000;
// The event carries the transcript twice, as text and as WebVTT, and has to fit into one Kafka record.
const TRANSCRIPT_MAX_BYTES = 900_000;
// The rest of the job's time is for publishing.
const WORK_SHARE = 0.9;

const GONE = 'The audio is no longer stored, so it cannot be transcribed.';
const TOO_LARGE = 'The audio is larger than speech-to-text takes (25 MB).';
const TOO_LONG = 'The transcript is too long to be kept.';

/**
 * Transcribes a submission's audio and publishes `transcript.started`, then `transcript.completed` or `transcript.failed`.
 * Their ids derive from `requestId`. Rejects when a later attempt may succeed: with an OutageError where that says nothing
 * about the audio.
 */
export async function transcribe(
  deps: TranscribeDeps,
  requestId: string,
  request: TranscriptRequested,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<void> {
  const { projectId, submissionId, requestNumber } = request;
  const ids = { projectId, submissionId, requestNumber };
  const publish = (type: EventType, payload: NonNullable<Event['payload']>) =>
    deps.kafka
      .publish(newEvent(type, payload, answerId(requestId, type)))
      .catch(asOutage('The result could not be published'));
  const endsAt = Date.now() + deps.config.jobSeconds * 1000 * WORK_SHARE;
  await publish('transcript.started', { $case: 'transcriptStarted', value: ids });
  try {
    const transcript = await transcriptFor(deps, request, { signal, log, endsAt });
    await publish('transcript.completed', { $case: 'transcriptCompleted', value: { ...ids, ...transcript } });
  } catch (error) {
    if (!(error instanceof NoTranscriptError)) throw error;
    log.warn({ err: error }, 'There is no transcript of a submission');
    await publish('transcript.failed', { $case: 'transcriptFailed', value: { ...ids, reason: error.message } });
  }
}

async function transcriptFor(
  { objects, speech, config }: TranscribeDeps,
  { audioKey, durationSec }: TranscriptRequested,
  { signal, log, endsAt }: { signal: AbortSignal; log: Logger; endsAt: number },
): Promise<Transcript> {
  const audio = await readAudio(objects, audioKey, { maxBytes: AUDIO_MAX_BYTES, signal });
  if (audio === 'missing') throw new NoTranscriptError(GONE);
  if (audio === 'tooLarge') throw new NoTranscriptError(TOO_LARGE);
  const levels = await soundLevels(audio, signal);
  if (levels.length > 0 && !mayHoldSpeech(levels, config.speechDb)) return SILENCE;
  const heard = await recognizeSpeech(speech, audio, { maxAttempts: config.attempts, endsAt, signal, log });
  const transcript = transcriptOf(heard, durationSec);
  if (Buffer.byteLength(transcript.text) + Buffer.byteLength(transcript.vtt) > TRANSCRIPT_MAX_BYTES)
    throw new NoTranscriptError(TOO_LONG);
  return transcript;
}
