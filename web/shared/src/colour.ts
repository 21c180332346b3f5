import { channels, contrast } from '@recording-request/contract/accent';

export { contrast, isColour } from '@recording-request/contract/accent';

/** Returns black or white, whichever is easier to read on the colour. The contrast is at least 4.5:1 on any colour. */
export const inkOn = (colour: string): '#000000' | '#ffffff' =>
  contrast(colour, '#000000') >= contrast(colour, '#ffffff') ? '#000000' : '#ffffff';

/** Returns the first of the colours between `colour` and `to`, in steps of a twentieth, with at least this contrast. */
function moved(colour: string, to: 0 | 255, ground: string, least: number): string {
  let next = colour;
  for (let share = 0.05; share < 1 && contrast(next, ground) < least; share += 0.05) {
    const mixed = channels(colour).map(value => Math.round(value + (to - value) * share));
    next = `#${mixed.map(value => value.toString(16).padStart(2, '0')).join('')}`;
  }
  return next;
}

/** Lightens the colour step by step until its contrast with a dark background is at least `least`, and returns it. */
export const lightened = (colour: string, ground: string, least: number): string => moved(colour, 255, ground, least);

/** Darkens the colour step by step until its contrast with a light background is at least `least`, and returns it. */
export const darkened = (colour: string, ground: string, least: number): string => moved(colour, 0, ground, least);
