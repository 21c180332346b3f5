import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const SEGMENT_SECONDS = 2;

/**
 * Starts a speech server that returns texts of the test, whatever the clip contains. Each clip gets one list of texts,
 * and each text lasts two seconds. Clips after the last list get the text `usual`.
 */
export async function startScriptedSpeech(usual: string) {
  const script: (readonly string[])[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const texts = script.shift() ?? [usual];
      const segments = texts.map((text, id) => {
        const start = id * SEGMENT_SECONDS;
        return { id, start, end: start + SEGMENT_SECONDS, text, no_speech_prob: 0.01, avg_logprob: -0.1 };
      });
      const text = texts.join(' ');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ text, duration: texts.length * SEGMENT_SECONDS, language: 'english', segments }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    /** Adds lists of texts for the next clips, one list per clip. */
    hearNext: (...texts: (readonly string[])[]) => void script.push(...texts),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
