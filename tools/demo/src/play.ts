import { redact } from '@recording-request/kit/redact';

export interface PlayedStep {
  title: string;
  seconds: number;
  figures: string[];
}

/** The interval at which a long step reports that it still runs. */
const STILL_MS = 10_000;

/**
 * Runs one step and prints its title and time. The step can add a figure to this line with `note`. Prints and rethrows
 * errors.
 */
export type Play = <T>(title: string, step: (note: (figure: string) => void) => Promise<T>) => Promise<T>;

/** Creates a `play` that writes to `log` and records the steps in `played`. */
export function createPlay(log: (line: string) => void, signal: AbortSignal): { play: Play; played: PlayedStep[] } {
  const played: PlayedStep[] = [];
  const play: Play = async (title, step) => {
    signal.throwIfAborted();
    const figures: string[] = [];
    const began = performance.now();
    const line = (mark: string) => {
      const seconds = (performance.now() - began) / 1000;
      const time = `${seconds.toFixed(1)} s`.padStart(7);
      return { seconds, text: `${mark} ${time}  ${title}${figures.length > 0 ? `: ${figures.join('; ')}` : ''}` };
    };
    const still = setInterval(() => log(line('…').text), STILL_MS);
    try {
      const result = await step(figure => figures.push(redact(figure)));
      const { seconds, text } = line('✓');
      log(text);
      played.push({ title, seconds, figures });
      return result;
    } catch (error) {
      log(line('✗').text);
      throw error;
    } finally {
      clearInterval(still);
    }
  };
  return { play, played };
}
