import { openFilm } from '../contributors/takes.ts';
import type { FaultCase } from '../fault-case.ts';

const CLIPS = { short: 8, long: 24 };
/** The largest picture for which every codec must get thumbnails. */
const PICTURE = { width: 3_840, height: 2_160, frameRate: 10, seconds: 1, audio: 'silence' } as const;

export const mediaAtItsSlots: FaultCase = {
  name: 'media-at-its-slots',
  promise:
    'While every job and inspection works on the largest pictures, media with its ffmpeg and ffprobe stays below the memory limit of its manifest',
  bounded: false,
  weight: 0,
  restMs: 180_000,
  // The default number of slots, which the manifest also uses.
  harness: { env: { MEDIA_SLOTS: '1' }, limited: ['media'] },
  async run(harness, { random, short }) {
    const project = await harness.owner.create();
    const films = await Promise.all(
      (['webm', 'mp4'] as const).map(container => openFilm({ container, question: 0, ...PICTURE })),
    );
    await Promise.all(
      Array.from({ length: CLIPS[short ? 'short' : 'long'] }, (_, at) => {
        const mine = random.fork(`take ${at}`);
        const take = films[at % films.length]!(mine);
        return harness.contribute({ project }, take, mine, { chunkBytes: 1_000_000 });
      }),
    );
  },
};
