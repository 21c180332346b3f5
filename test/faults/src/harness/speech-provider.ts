import type { RequestListener, ServerResponse } from 'node:http';
import type { Harness } from './harness.ts';

/** One request of a transcription process to the provider. */
export interface SpeechCall {
  /** The process's index. */
  process: number;
  began: number;
  /** The time of the response or of the connection's end; undefined while the call runs. */
  ended: number | undefined;
}

/** A provider that returns words for every call after `takesMs`. */
export interface SpeechProvider {
  readonly calls: SpeechCall[];
  onCall: ((call: SpeechCall) => void) | undefined;
}

const answerOf = (text: string) =>
  JSON.stringify({
    ...{ text, language: 'english', duration: 1 },
    segments: [{ id: 0, start: 0, end: 1, text, no_speech_prob: 0, avg_logprob: -0.1 }],
  });

/** Responds to the transcription processes in place of the speech server, until their proxies forward bytes again. */
export function provideSpeech(
  harness: Harness,
  takesMs: (call: SpeechCall) => number,
  text = 'good morning',
): SpeechProvider {
  const body = answerOf(text);
  const calls: SpeechCall[] = [];
  const provider: SpeechProvider = { calls, onCall: undefined };
  for (const { index, proxies } of harness.fleet.of('transcription')) {
    const listener: RequestListener = (request, response) => {
      const call: SpeechCall = { process: index, began: Date.now(), ended: undefined };
      calls.push(call);
      provider.onCall?.(call);
      request.on('error', () => {});
      response.on('close', () => {
        call.ended ??= Date.now();
      });
      const wait = takesMs(call);
      request.resume().on('end', () => setTimeout(() => answer(response, body), wait).unref());
    };
    for (const proxy of proxies.to.speech) proxy.answer(listener);
  }
  return provider;
}

function answer(response: ServerResponse, body: string): void {
  if (!response.destroyed) response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}
