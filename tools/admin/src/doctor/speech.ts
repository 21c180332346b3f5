import { loadConfig } from '@recording-request/kit/config';
import { speechVariables } from '@recording-request/kit/speech-variables';
import { clockLines, type Line, ok, wrong } from './finding.ts';

const RATE = 16_000;
const HEADER_BYTES = 44;
const SHOWN = 64 * 1_024;

/** Requests a transcript of one second of silence, in the same way as the service. */
export async function speechLines(env: NodeJS.ProcessEnv, limitMs: number): Promise<Line[]> {
  const { speechBaseUrl, speechApiKey, speechModel } = loadConfig(env, speechVariables);
  const form = new FormData();
  form.set('file', new Blob([silence()], { type: 'audio/wav' }), 'silence.wav');
  form.set('model', speechModel);
  form.set('response_format', 'json');
  const answer = await fetch(`${speechBaseUrl}/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${speechApiKey() || 'none'}` },
    body: form,
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
  });
  const text = (await answer.text()).slice(0, SHOWN);
  return [lineOf(answer.status, text, speechModel), ...clockLines('the speech endpoint', answer.headers.get('date'))];
}

/** Omits the text of the response, because it may contain the key. */
function lineOf(status: number, text: string, model: string): Line {
  const isAboutModel = /model/i.test(text);
  if (status >= 200 && status < 300)
    return text.includes('"text"')
      ? ok(`it transcribes with the model ${model}`)
      : wrong('it answers, but not with a transcript: SPEECH_BASE_URL must be the address up to and with /v1');
  if (status === 401 || status === 403) return wrong(`it does not accept SPEECH_API_KEY (${status})`);
  if (status === 404 && !isAboutModel)
    return wrong('it has no /audio/transcriptions (404): SPEECH_BASE_URL must be the address up to and with /v1');
  if ((status === 404 || status === 400 || status === 422) && isAboutModel)
    return wrong(
      `it does not know the model ${model}, or does not transcribe with it (${status}): correct SPEECH_MODEL`,
    );
  if (status === 429) return wrong('it refuses more requests (429): check the quota and the limits of the account');
  if (status >= 300 && status < 400) return wrong(`it redirects (${status}): set SPEECH_BASE_URL to the final address`);
  return wrong(`it answers ${status} to one second of silence: look at its log`);
}

/** Returns a WAV file with a second of silence: 16 bits, one channel. */
function silence(): Buffer<ArrayBuffer> {
  const bytes = RATE * 2;
  const wav = Buffer.alloc(HEADER_BYTES + bytes);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(HEADER_BYTES - 8 + bytes, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(bytes, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(bytes, 40);
  return wav;
}
