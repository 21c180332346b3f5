import { openFilm, type Take } from '@recording-request/fault-test/contributors/takes';
import type { Random } from '@recording-request/stack/random';

/** A take, and the length of its recording. */
export interface Recording {
  take: Take;
  seconds: number;
}

/** The picture that a phone's or a laptop's recorder makes. */
const PICTURE = { width: 1280, height: 720, frameRate: 30 } as const;
const FILMS = [
  { container: 'webm', seconds: 6, text: 'Good morning. We want to go out today, as the weather is good.' },
  { container: 'mp4', seconds: 5, text: 'Thank you, it was a good day and I would come again.' },
  {
    container: 'webm',
    seconds: 8,
    text: 'I opened the door, and there they were, all of them, and we had a very good time.',
  },
] as const;

/**
 * Makes the films once per machine. Returns a function that makes takes of random films. Each take has different bytes.
 */
export async function openRecordings(): Promise<(random: Random) => Recording> {
  const films: { take: (random: Random) => Take; seconds: number }[] = [];
  for (const film of FILMS) films.push({ take: await openFilm({ ...film, ...PICTURE }), seconds: film.seconds });
  return random => {
    const { take, seconds } = random.pick(films);
    return { take: take(random), seconds };
  };
}
