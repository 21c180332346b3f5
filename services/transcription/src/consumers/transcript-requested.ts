import { newEvent } from '@recording-request/events/event';
import type { Kafka } from '@recording-request/events/kafka';
import type { EventType } from '@recording-request/events/topics';
import { answerId } from '@recording-request/kit/ids';
import { PoisonError } from '@recording-request/kit/kafka-consumer';
import type { Logger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit/objects';
import type { Event, TranscriptRequested } from '@recording-request/proto/events/v1/events';
import { soundLevels } from '../adapters/sound-levels.ts';
import type { Speech } from '../adapters/speech.ts';
import { readAudio } from '../adapters/stored-audio.ts';
import { mayHoldSpeech } from '../domain/speech-levels.ts';
import { SILENCE, type Transcript, transcriptOf } from '../domain/transcript.ts';
import { NoTranscriptError, transcribe } from '../workflows/recognize-speech.ts';

export interface TranscriptRoom {
  objects: Objects;
  kafka: Pick<Kafka, 'publish'>;
  speech: Speech;
  jobMs: number;
  maxAttempts: number;
  /** Below this a clip is taken for silent: dB of full scale. */
  speechDb: number;
}

// What speech-to-text takes in one request.
const AUDIO_MAX_BYTES = 25_000_000;
// What is written twice, as text and with times, has to fit into one record.
const TRANSCRIPT_MAX_BYTES = 900_000;
// The rest is for what is published.
const WORK_SHARE = 0.9;

const GONE = 'The audio is no longer stored, so it cannot be transcribed.';
const TOO_LARGE = 'The audio is larger than speech-to-text takes (25 MB).';
const TOO_LONG = 'The transcript is too long to be kept.';

/** Makes the transcript of a submission's audio and says so. Rejects when a later attempt may do better. */
export async function onTranscriptRequested(
  event: Event,
  { signal, log }: { signal: AbortSignal; log: Logger },
  room: TranscriptRoom,
): Promise<void> {
  if (event.payload?.$case !== 'transcriptRequested') throw new PoisonError(`${event.type} asks for no transcript`);
  const request = event.payload.value;
  const { projectId, submissionId, requestNumber } = request;
  const ids = { projectId, submissionId, requestNumber };
  const publish = (type: EventType, payload: NonNullable<Event['payload']>) =>
    room.kafka.publish(newEvent(type, payload, answerId(event.id, type)));
  const jobLog = log.child({ submission: submissionId });
  const endsAt = Date.now() + room.jobMs * WORK_SHARE;
  await publish('transcript.started', { $case: 'transcriptStarted', value: ids });
  try {
    const transcript = await transcriptFor(request, { signal, log: jobLog, endsAt }, room);
    await publish('transcript.completed', { $case: 'transcriptCompleted', value: { ...ids, ...transcript } });
  } catch (error) {
    if (!(error instanceof NoTranscriptError)) throw error;
    jobLog.warn({ err: error }, 'There is no transcript of a submission');
    await publish('transcript.failed', { $case: 'transcriptFailed', value: { ...ids, reason: error.message } });
  }
}

async function transcriptFor(
  { audioKey, durationSec }: TranscriptRequested,
  { signal, log, endsAt }: { signal: AbortSignal; log: Logger; endsAt: number },
  room: TranscriptRoom,
): Promise<Transcript> {
  const audio = await readAudio(room.objects, audioKey, { maxBytes: AUDIO_MAX_BYTES, signal });
  if (audio === 'missing') throw new NoTranscriptError(GONE);
  if (audio === 'tooLarge') throw new NoTranscriptError(TOO_LARGE);
  const levels = await soundLevels(audio, signal);
  if (levels.length > 0 && !mayHoldSpeech(levels, room.speechDb)) return SILENCE;
  const heard = await transcribe(audio, room.speech, { maxAttempts: room.maxAttempts, endsAt, signal, log });
  const transcript = transcriptOf(heard, durationSec);
  if (Buffer.byteLength(transcript.text) + Buffer.byteLength(transcript.vtt) > TRANSCRIPT_MAX_BYTES)
    throw new NoTranscriptError(TOO_LONG);
  return transcript;
}
