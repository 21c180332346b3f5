import { stat } from 'node:fs/promises';
import { type Clip, makeClip } from '@recording-request/fixtures/clip';
import { makeNotAClip } from '@recording-request/fixtures/not-a-clip';
import { check } from '../check.ts';
import { probe } from '../media-tools.ts';
import type { Show } from '../show.ts';

export interface Clips {
  /** A clip with VP8 and Opus, muxed live: it has no duration and no cues. */
  webm: Clip;
  /** A fragmented clip with H.264 and AAC. */
  mp4: Clip;
  /** A clip for each question. */
  answers: [Clip, Clip];
  /** A clip that is longer than its project permits. */
  tooLong: Clip;
  /** A clip that is short enough for that project. */
  short: Clip;
  /** Bytes that are not a video. */
  noise: { path: string; mimeType: string };
}

const SPOKEN = {
  webm: 'Hello, my name is Anna. I have used the new camera for three weeks, and this is what I think about the pictures that it makes.',
  mp4: 'Good morning. We work in a small office in the city, and the people on our team like to talk about the weather.',
  first: 'I came to this company because a good friend told me about the work.',
  second: 'The most important thing is to listen to the people who use it every day.',
};

/** Makes the contributors' clips: a synthetic voice and a moving picture, muxed as browsers record. */
export async function makeClips({ clipsDir: dir, play }: Show): Promise<Clips> {
  return play('clips made', async note => {
    const [webm, mp4, first, second, tooLong, short, noise] = await Promise.all([
      makeClip({ dir, container: 'webm', text: SPOKEN.webm }),
      makeClip({ dir, container: 'mp4', text: SPOKEN.mp4 }),
      makeClip({ dir, container: 'webm', text: SPOKEN.first, question: 0 }),
      makeClip({ dir, container: 'mp4', text: SPOKEN.second, question: 1 }),
      makeClip({ dir, container: 'webm', audio: 'silence', seconds: 8 }),
      makeClip({ dir, container: 'webm', audio: 'silence', seconds: 2 }),
      makeNotAClip(dir, 'noise'),
    ]);
    const live = await probe(webm.path);
    check('the live WebM to have no duration, as a recorder writes it', live.durationSec === undefined, live);
    for (const clip of [webm, mp4, first, second]) {
      const { size } = await stat(clip.path);
      const { codecs } = await probe(clip.path);
      note(`${clip.durationSec.toFixed(1)} s ${codecs.join('/')} ${(size / 1e6).toFixed(1)} MB`);
    }
    return { webm, mp4, answers: [first, second], tooLong, short, noise: { path: noise, mimeType: 'video/mp4' } };
  });
}
