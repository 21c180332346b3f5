import { newEvent } from '@recording-request/events/event';
import { asOutage } from '@recording-request/events/job-claims';
import type { Kafka } from '@recording-request/events/kafka';
import { areLong } from '@recording-request/events/long-texts';
import type { EventType } from '@recording-request/events/topics';
import type { Logger } from '@recording-request/kit/log';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { TranscriptJob } from '@recording-request/proto/work/v1/work';
import { measureSound, TooMuchSoundError } from '../adapters/sound.ts';
import { readAudio } from '../adapters/stored-audio.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { mayHoldSpeech } from '../domain/speech-levels.ts';
import { type Heard, SILENCE, type Transcript, transcriptOf } from '../domain/transcript.ts';
import { WINDOW_SEC } from '../domain/voice.ts';
import { NoTranscriptError, recognizeSpeech } from './recognize-speech.ts';

export interface TranscribeDeps extends Pick<Context, 'objects' | 'speech' | 'sandbox'> {
  kafka: Pick<Kafka, 'publish'>;
  config: Pick<Config, 'jobSeconds' | 'attempts' | 'speechDb'>;
}

// The largest file that speech-to-text accepts in one request.
const AUDIO_MAX_BYTES = 25_000_000;
// The limit for the text and the WebVTT together. It is small because a list has the transcripts of a hundred clips.
const TRANSCRIPT_MAX_BYTES = 900_000;
// The share of a job's time for speech-to-text; the rest is for publishing.
const WORK_SHARE = 0.9;

const GONE = 'The audio is no longer stored, so it cannot be transcribed.';
const TOO_LARGE = 'The audio is larger than speech-to-text takes (25 MB).';
const TOO_MUCH_SOUND = 'The audio is longer, or harder to read, than speech-to-text takes.';
const TOO_LONG = 'The transcript is too long to be kept.';

/**
 * Transcribes a submission's audio and publishes `transcript.completed` or `transcript.failed`. Rejects when a retry
 * may succeed. Rejects with an OutageError when the audio did not cause the failure.
 */
export async function transcribe(
  deps: TranscribeDeps,
  request: TranscriptJob,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<void> {
  const { projectId, submissionId, requestNumber } = request;
  const ids = { projectId, submissionId, requestNumber };
  const publish = (type: EventType, payload: NonNullable<Event['payload']>) =>
    deps.kafka.publish(newEvent(type, payload)).catch(asOutage('The result could not be published'));
  const endsAt = Date.now() + deps.config.jobSeconds * 1000 * WORK_SHARE;
  try {
    const transcript = await transcriptFor(deps, request, { signal, log, endsAt });
    await publish('transcript.completed', await payloadOf(deps, ids, transcript, signal));
  } catch (error) {
    if (!(error instanceof NoTranscriptError)) throw error;
    log.warn({ err: error }, 'The transcript of a submission failed');
    const { message: reason, clipAtFault } = error;
    await publish('transcript.failed', { $case: 'transcriptFailed', value: { ...ids, reason, clipAtFault } });
  }
}

/**
 * Stores a transcript that is too long for an event. The key lies under the submission's prefix, where the submission's
 * erasure finds the object.
 */
async function payloadOf(
  { objects }: TranscribeDeps,
  ids: { projectId: string; submissionId: string; requestNumber: number },
  transcript: Transcript,
  signal: AbortSignal,
): Promise<NonNullable<Event['payload']>> {
  if (!areLong(transcript.text, transcript.vtt))
    return { $case: 'transcriptCompleted', value: { ...ids, ...transcript } };
  const key = `submissions/${ids.projectId}/${ids.submissionId}/transcript-${ids.requestNumber}.json`;
  const bytes = Buffer.from(JSON.stringify(transcript));
  await objects
    .put(key, bytes, { contentType: 'application/json', signal })
    .catch(asOutage('The transcript could not be stored'));
  return { $case: 'transcriptStored', value: { ...ids, key } };
}

async function transcriptFor(
  { objects, speech, config, sandbox }: TranscribeDeps,
  { audioKey, durationSec, language }: TranscriptJob,
  { signal, log, endsAt }: { signal: AbortSignal; log: Logger; endsAt: number },
): Promise<Transcript> {
  const audio = await readAudio(objects, audioKey, { maxBytes: AUDIO_MAX_BYTES, signal });
  if (audio === 'missing') throw new NoTranscriptError(GONE, { clipAtFault: false });
  if (audio === 'tooLarge') throw new NoTranscriptError(TOO_LARGE, { clipAtFault: true });
  const sound = await measureSound(audio, { signal, sandbox }).catch(error => {
    if (!(error instanceof TooMuchSoundError)) throw error;
    throw new NoTranscriptError(TOO_MUCH_SOUND, { clipAtFault: true, cause: error });
  });
  if (!mayHoldSpeech(sound, config.speechDb)) return SILENCE;
  const soundSec = sound.levelsDb.length * WINDOW_SEC;
  const limits = { maxAttempts: config.attempts, endsAt, signal };
  const heard = await recognizeSpeech(speech, audio, { language, soundSec, ...limits, log });
  // The layout of captions for much longer texts would block the process.
  if (lengthOf(heard) > TRANSCRIPT_MAX_BYTES) throw new NoTranscriptError(TOO_LONG, { clipAtFault: true });
  const transcript = transcriptOf(heard, durationSec, sound);
  if (Buffer.byteLength(transcript.text) + Buffer.byteLength(transcript.vtt) > TRANSCRIPT_MAX_BYTES)
    throw new NoTranscriptError(TOO_LONG, { clipAtFault: true });
  return transcript;
}

const lengthOf = ({ text, segments = [] }: Heard): number =>
  segments.reduce((length, segment) => length + segment.text.length, text.length);
