import { type Cue, cuesOf, oneLine, type Segment, toVtt, wholeClip } from './vtt.ts';

/** The speech that a provider recognised. A model without times gives no segments. */
export interface Heard {
  text: string;
  segments: Array<Segment & { noSpeechProbability: number; averageLogProbability: number }> | undefined;
}

export interface Transcript {
  text: string;
  vtt: string;
}

export const SILENCE: Transcript = { text: '', vtt: toVtt([]) };

/** Returns the transcript of a clip. Segments that the model itself rates as no speech are left out: their words are invented. */
export function transcriptOf({ text, segments }: Heard, durationSec: number): Transcript {
  if (!segments || (segments.length === 0 && text.trim() !== '')) return written(text, wholeClip(text, durationSec));
  const spoken = segments.filter(segment => !isInvented(segment));
  const cues = cuesOf(spoken, durationSec);
  return written(spoken.length === segments.length ? text : cues.map(cue => cue.text).join(' '), cues);
}

const written = (text: string, cues: Cue[]): Transcript => ({ text: oneLine(text), vtt: toVtt(cues) });

// Whisper's own rule and thresholds (openai/whisper, transcribe.py: no_speech_threshold, logprob_threshold).
const isInvented = (segment: NonNullable<Heard['segments']>[number]) =>
  segment.noSpeechProbability > 0.6 && segment.averageLogProbability < -1;
