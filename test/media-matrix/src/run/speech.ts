/** A speech server that recognizes the words of the clips, instead of Whisper. */
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WORD_SEC } from '../clip/base.ts';
import { soundOf, wordsIn } from '../judge/decode.ts';

const REQUEST_MAX_BYTES = 26_000_000;

export interface SpeechServer extends AsyncDisposable {
  /** The base URL, which ends in /v1. */
  baseUrl: string;
  /** The start times of the words in the last received sound, in seconds. */
  recognized: number[] | undefined;
}

/** Starts the server. Its response has a segment for each word in the received sound. */
export async function startSpeechServer(dir: string, signal: AbortSignal): Promise<SpeechServer> {
  const server = createServer(async (request, response) => {
    try {
      const sent = await bodyOf(request);
      const form = await new Response(sent, {
        headers: { 'content-type': request.headers['content-type']! },
      }).formData();
      const path = join(dir, 'sent.m4a');
      await writeFile(path, Buffer.from(await (form.get('file') as File).arrayBuffer()));
      const sound = await soundOf(path, { signal });
      const words = wordsIn(sound);
      speech.recognized = words;
      const segments = words.map((start, id) => ({
        ...{ id, start, end: Math.min(start + WORD_SEC, sound.seconds), text: ` Word ${id + 1}.` },
        ...{ no_speech_prob: 0, avg_logprob: -0.1 },
      }));
      const text = segments.map(segment => segment.text).join('');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ text, language: 'english', duration: sound.seconds, segments }));
    } catch (error) {
      response.writeHead(400).end(JSON.stringify({ error: { message: String(error) } }));
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const speech: SpeechServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    recognized: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return speech;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > REQUEST_MAX_BYTES) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
