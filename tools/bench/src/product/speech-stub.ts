import { startSlowServer } from './slow-server.ts';

const ANSWER = JSON.stringify({
  text: 'what was said',
  language: 'english',
  duration: 5,
  segments: [{ id: 0, start: 0, end: 5, text: 'what was said', avg_logprob: -0.1, no_speech_prob: 0.01 }],
});

export interface SpeechStub extends AsyncDisposable {
  /** Variables that make the product use this server. */
  env: { SPEECH_BASE_URL: string; SPEECH_API_KEY: string; SPEECH_MODEL: string };
}

/** Starts a speech-to-text server that always returns the same text. */
export async function startSpeechStub(onRequest?: () => void): Promise<SpeechStub> {
  const server = await startSlowServer({ status: 200, json: ANSWER }, onRequest);
  return {
    env: { SPEECH_BASE_URL: `${server.url}/v1`, SPEECH_API_KEY: 'none', SPEECH_MODEL: 'stub' },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
