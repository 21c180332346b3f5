import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../child-process.ts';
import type { SpeechInstall } from '../install/speech.ts';
import { keptSecret } from '../secrets.ts';
import { waitFor } from '../wait.ts';
import { type RunningServer, readyOrKilled, type StartContext } from './start-server.ts';

const READY_MS = 60_000;
// The name of the model shows the engine, because tests expect PocketSphinx to recognise less than Whisper.
const MODELS = { whisper: 'whisper-base', pocketsphinx: 'pocketsphinx-en-us' };
const SERVER = fileURLToPath(new URL('../../speech/server.py', import.meta.url));

/** Starts the OpenAI-compatible speech-to-text server. Resolves when one of its recognisers has loaded its model. */
export async function startSpeech(
  { python, pythonPath, engine, modelDir }: SpeechInstall,
  context: StartContext,
): Promise<RunningServer> {
  const { dataDir, host, port, logFile, env, signal } = context;
  const scratch = join(dataDir, 'speech');
  await mkdir(scratch, { recursive: true });
  const apiKey =
    env.SPEECH_API_KEY || (await keptSecret(join(dataDir, 'speech-key.json'), () => randomBytes(20).toString('hex')));
  const child = await startChild({
    name: 'speech',
    command: python,
    args: ['-u', SERVER],
    env: {
      ...env,
      PYTHONPATH: pythonPath,
      PYTHONDONTWRITEBYTECODE: '1',
      SPEECH_LISTEN: `${host}:${port}`,
      SPEECH_API_KEY: apiKey,
      SPEECH_ENGINE: engine,
      SPEECH_MODEL: MODELS[engine],
      ...(modelDir ? { SPEECH_MODEL_DIR: modelDir, OMP_NUM_THREADS: '1' } : {}),
      SPEECH_SCRATCH_DIR: scratch,
    },
    logFile,
  });
  const origin = `http://${host}:${port}`;
  const isReady = async (limit: AbortSignal) =>
    (await fetch(`${origin}/health`, { signal: limit })).ok ? true : undefined;
  await readyOrKilled(child, waitFor('speech', isReady, { timeoutMs: READY_MS, child, signal }));
  const url = `${origin}/v1`;
  const speech = { SPEECH_BASE_URL: url, SPEECH_API_KEY: apiKey, SPEECH_MODEL: MODELS[engine] };
  return { name: 'speech', url, env: speech, child, graceMs: 3_000 };
}
