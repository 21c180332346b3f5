import { languageCode } from '@recording-request/contract/languages';
import type { Secret } from '@recording-request/kit/secret-file';
import { measureRequest } from '@recording-request/kit-telemetry/peers';
import { inSpan } from '@recording-request/kit-telemetry/span';
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, toFile } from 'openai';
import type { Failure } from '../domain/retry.ts';
import { retryAfterMs } from '../domain/retry.ts';
import type { Heard } from '../domain/transcript.ts';

/** An attempt at speech-to-text failed. `message` is for the log. */
export class SpeechError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string) {
    super(message);
    this.name = 'SpeechError';
    this.failure = failure;
  }
}

export interface Speech {
  /**
   * Makes one attempt to transcribe an .m4a, in `language` if it is known. Rejects with SpeechError or with the
   * signal's reason.
   */
  transcribe(
    audio: Buffer,
    options: {
      language?: string | undefined;
      /** The duration of the sound, if it is known. */
      soundSec?: number | undefined;
      signal: AbortSignal;
    },
  ): Promise<Heard>;
}

const ANSWER_MAX_BYTES = 8 * 1024 * 1024;

/** Creates a client for any speech-to-text server that has OpenAI's API. */
export function createSpeech(options: { baseUrl: string; apiKey: Secret; model: string; requestMs: number }): Speech {
  const { model, requestMs } = options;
  const client = new OpenAI({
    baseURL: options.baseUrl,
    // The client requires a key, even for a server that needs none.
    apiKey: async () => options.apiKey() || 'none',
    organization: null,
    project: null,
    // domain/retry.ts decides whether to retry.
    maxRetries: 0,
    timeout: requestMs,
    logLevel: 'off',
    fetch: fetchBounded,
  });
  let givesTimes = true;
  const ask = async (audio: Buffer, { language, signal }: Parameters<Speech['transcribe']>[1]): Promise<unknown> => {
    const file = await toFile(audio, 'audio.m4a', { type: 'audio/mp4' });
    const limits = { signal, timeout: requestMs };
    // The model obeys a language in the request, even a wrong one. So the client sends a language only if the owner set
    // it.
    const what = { file, model, ...(language ? { language } : {}) };
    if (!givesTimes) return client.audio.transcriptions.create({ ...what, response_format: 'json' }, limits);
    return client.audio.transcriptions.create(
      { ...what, response_format: 'verbose_json', timestamp_granularities: ['segment'] },
      limits,
    );
  };
  return {
    transcribe(audio, options) {
      const { signal, soundSec } = options;
      const attributes = {
        'recording.peer': 'speech',
        'gen_ai.request.model': model,
        'recording.bytes.in': audio.length,
        'recording.sound.seconds': soundSec,
      };
      return inSpan('speech', { attributes }, async () => {
        try {
          return heardIn(
            await ask(audio, options).catch(error => {
              if (!givesTimes || !refusesTimes(error)) throw error;
              givesTimes = false;
              return ask(audio, options);
            }),
          );
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          throw error instanceof SpeechError ? error : new SpeechError(failureOf(error), summaryOf(error));
        }
      });
    },
  };
}

/** Returns whether the model refuses to return times: some newer models return text only. */
const refusesTimes = (error: unknown) =>
  error instanceof APIError &&
  (error.status === 400 || error.status === 422) &&
  /^(response_format|timestamp_granularities)/.test(error.param ?? '');

/**
 * Returns whether the connection ended in the middle of an answer, for example because the provider restarted. undici's
 * error depends on the headers of the response, and a parser error has no code. The error for a complete body that
 * cannot be decoded has a zlib code.
 */
function brokeOff(error: unknown): boolean {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return false;
  const { name, code = '' } = error.cause as NodeJS.ErrnoException;
  return name === 'HTTPParserError' || /^(UND_ERR_|ECONN|EPIPE|ETIMEDOUT)/.test(code);
}

function failureOf(error: unknown): Failure {
  if (error instanceof APIConnectionTimeoutError) return { kind: 'timeout' };
  if (error instanceof APIConnectionError || brokeOff(error)) return { kind: 'unreachable' };
  if (!(error instanceof APIError) || error.status === undefined) return { kind: 'unusable' };
  const after = retryAfterMs(error.headers?.get('retry-after'), Date.now());
  return { kind: 'status', status: error.status, retryAfterMs: after };
}

// Omits the message of an API error, because it quotes the provider, which may repeat the request or a part of the key.
const summaryOf = (error: unknown) =>
  error instanceof APIError ? `${error.name} ${error.status ?? ''} ${error.code ?? ''}`.trim() : (error as Error).name;

function heardIn(answer: unknown): Heard {
  const { text, segments, language: named } = (answer ?? {}) as Record<string, unknown>;
  if (typeof text !== 'string') throw new SpeechError({ kind: 'unusable' }, 'the answer has no text');
  const language = typeof named === 'string' ? languageCode(named) : undefined;
  if (!Array.isArray(segments)) return { text, language, segments: undefined };
  return {
    text,
    language,
    segments: segments.map((segment: Record<string, unknown> | null) => ({
      startSec: secondsOf(segment?.start),
      endSec: secondsOf(segment?.end),
      text: String(segment?.text ?? ''),
      noSpeechProbability: Number(segment?.no_speech_prob ?? 0),
      averageLogProbability: Number(segment?.avg_logprob ?? 0),
    })),
  };
}

// Treats null and missing values as unknown; `Number` would turn null into 0, the clip's start.
const secondsOf = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN;

/** Fetches without redirects, so that the key reaches no other host, and limits the answer's size. */
async function fetchBounded(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const answered = measureRequest('speech');
  const response = await fetch(url, { ...init, redirect: 'error' }).catch(error => {
    answered(init?.signal?.aborted ? 'timeout' : 'unreachable');
    throw error;
  });
  answered(response.status);
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > ANSWER_MAX_BYTES) controller.error(new Error(`an answer of more than ${ANSWER_MAX_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(limit), response);
}
