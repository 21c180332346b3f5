import { oneLine } from './caption-text.ts';
import { type Cue, cuesOf, type Segment, wholeClip } from './captions.ts';
import { type VoiceShare, voiceShareOf } from './speech-levels.ts';
import type { Sound } from './voice.ts';
import { toVtt } from './vtt.ts';

/** The speech that a provider recognised. A model that returns no times returns no segments. */
export interface Heard {
  text: string;
  /** Undefined when the provider returns none. */
  language?: string | undefined;
  segments: Array<Segment & { noSpeechProbability: number; averageLogProbability: number }> | undefined;
}

export interface Transcript {
  text: string;
  vtt: string;
  /** The code of the recognised language; undefined when there is no speech or the language is unknown. */
  language?: string | undefined;
}

export const SILENCE: Transcript = { text: '', vtt: toVtt([]) };

// Far more segments than the speech in 25 MB of audio has. The cues of many more segments would exceed a transcript's
// size limit and block the process.
const SEGMENTS_MAX = 10_000;

/**
 * Returns the transcript of a clip. Omits segments without a voice, even if the model is confident, because the model
 * has invented their words. With more than SEGMENTS_MAX segments, keeps only the text without times.
 */
export function transcriptOf(
  { text, segments, language }: Heard,
  durationSec: number,
  sound: Sound = { levelsDb: [], voiceSec: [] },
): Transcript {
  if (!segments || segments.length > SEGMENTS_MAX || (segments.length === 0 && text.trim() !== ''))
    return written(text, wholeClip(text, durationSec), language);
  const voiceShare = voiceShareOf(sound);
  const spoken = segments.filter(segment => !isInvented(segment, voiceShare));
  const words = spoken.length === segments.length ? text : spoken.map(segment => segment.text).join(' ');
  const cues = spoken.some(hasTimes) ? cuesOf(spoken, durationSec) : wholeClip(words, durationSec);
  return written(words, cues, language);
}

/** A clip without speech has no language, even if the provider returned one. */
function written(text: string, cues: Cue[], language: string | undefined): Transcript {
  const words = oneLine(text);
  return { text: words, vtt: toVtt(cues), ...(words && language ? { language } : {}) };
}

// Below this share of voice, the model's own confidence decides. Most speech has a higher share.
const LITTLE_VOICE = 0.1;

const hasTimes = ({ startSec, endSec }: Segment) => Number.isFinite(startSec) && Number.isFinite(endSec);

function isInvented(segment: NonNullable<Heard['segments']>[number], voiceShare: VoiceShare): boolean {
  const voice = voiceShare(segment.startSec, segment.endSec);
  if (voice === 0) return true;
  // The rule and thresholds of Whisper (openai/whisper, transcribe.py: no_speech_threshold, logprob_threshold).
  const isDoubted = segment.noSpeechProbability > 0.6 && segment.averageLogProbability < -1;
  return isDoubted && (voice ?? 0) < LITTLE_VOICE;
}
