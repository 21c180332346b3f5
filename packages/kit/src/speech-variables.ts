import { secret, text, url } from './config.ts';

/** The endpoint that turns speech into text. */
export const speechVariables = {
  speechBaseUrl: url('SPEECH_BASE_URL', "an endpoint with OpenAI's `POST /audio/transcriptions`, up to and with `/v1`"),
  speechApiKey: secret('SPEECH_API_KEY', 'the key of that endpoint', { default: '' }),
  speechModel: text('SPEECH_MODEL', 'the speech-to-text model; it should return times', { default: 'whisper-1' }),
};
