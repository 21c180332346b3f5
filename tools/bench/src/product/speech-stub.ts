import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long the stub takes for a transcript. */
export const SPEECH_MS = 300;

const ANSWER = JSON.stringify({
  text: 'what was said',
  language: 'english',
  duration: 5,
  segments: [{ id: 0, start: 0, end: 5, text: 'what was said', avg_logprob: -0.1, no_speech_prob: 0.01 }],
});

/** A speech-to-text server that always takes the same time and no CPU, so that everything else is the product's. */
export async function startSpeechStub(): Promise<{ baseUrl: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER), SPEECH_MS);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
