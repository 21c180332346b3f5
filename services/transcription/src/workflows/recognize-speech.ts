import { setTimeout as delay } from 'node:timers/promises';
import { OutageError } from '@recording-request/events/job-claims';
import type { Logger } from '@recording-request/kit/log';
import { durationOf, secondsSince } from '@recording-request/kit-telemetry/metrics';
import { type Speech, SpeechError } from '../adapters/speech.ts';
import { afterFailure } from '../domain/retry.ts';
import type { Heard } from '../domain/transcript.ts';

const speechRatio = durationOf('recording.speech.ratio');

/** No transcript can be made, and a retry would not help. `message` is a sentence for the owner. */
export class NoTranscriptError extends Error {
  readonly clipAtFault: boolean;

  constructor(message: string, { clipAtFault, cause }: { clipAtFault: boolean; cause?: unknown }) {
    super(message, { cause });
    this.clipAtFault = clipAtFault;
  }
}

/**
 * Calls the provider until it returns a transcript or refuses, or until the job's time ends (`endsAt`, epoch
 * milliseconds). Rejects with NoTranscriptError when the provider refuses this audio, with OutageError when the
 * provider is down, or with the signal's reason.
 */
export async function recognizeSpeech(
  speech: Speech,
  audio: Buffer,
  options: {
    language?: string | undefined;
    soundSec?: number | undefined;
    maxAttempts: number;
    endsAt: number;
    signal: AbortSignal;
    log: Logger;
  },
): Promise<Heard> {
  const { language, soundSec, maxAttempts, endsAt, signal, log } = options;
  const timeUp = AbortSignal.timeout(Math.max(1, endsAt - Date.now()));
  const either = AbortSignal.any([signal, timeUp]);
  for (let attempts = 1; ; attempts += 1) {
    const startedAt = performance.now();
    try {
      const heard = await speech.transcribe(audio, { language, soundSec, signal: either });
      if (soundSec) speechRatio(secondsSince(startedAt) / soundSec, {});
      return heard;
    } catch (error) {
      signal.throwIfAborted();
      const failure = timeUp.aborted ? ({ kind: 'timeout' } as const) : error instanceof SpeechError && error.failure;
      if (!failure) throw error;
      const step = afterFailure(failure, { attempts, maxAttempts, leftMs: endsAt - Date.now() });
      if ('reason' in step) throw new NoTranscriptError(step.reason, { ...step, cause: error });
      if ('outage' in step) {
        if (step.isMisconfigured) log.error({ err: error }, step.outage);
        throw new OutageError(step.outage, { cause: error, afterMs: step.afterMs });
      }
      log.warn(
        { err: error, attempts, waitMs: step.waitMs },
        'The speech-to-text service failed; the request will be retried',
      );
      await delay(step.waitMs, undefined, { signal });
    }
  }
}
