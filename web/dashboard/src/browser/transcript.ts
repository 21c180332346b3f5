import { clock } from '@recording-request/web-shared/clock';
import { marked } from '../search.ts';
import { el } from '../tree.ts';
import { buildOne, fill } from './dom.ts';
import { searchedWords } from './held.ts';

/** What a cue says, as the browser reads WebVTT: its tags and escapes are gone. */
const textOf = (cue: VTTCue): string => cue.getCueAsHTML().textContent ?? '';

/** A cue begins a hair later than its own time, or the one before would still be the active one. */
const HAIR = 0.01;

/** The transcript that follows the playback, and jumps to the words that are pressed. Made of the captions themselves. */
export function followTranscript(video: HTMLVideoElement, track: HTMLTrackElement, parent: HTMLElement): void {
  track.addEventListener('load', () => {
    const cues = [...(track.track.cues ?? [])] as VTTCue[];
    if (cues.length === 0) return;
    const words = searchedWords();
    const items = cues.map(cue =>
      buildOne(
        el(
          'li',
          {},
          el(
            'button',
            { type: 'button', class: 'cue' },
            el('span', { class: 'cue-time' }, clock(cue.startTime)),
            el('span', { dir: 'auto' }, marked(textOf(cue), words)),
          ),
        ),
      ),
    );
    const list = buildOne(el('ol', { class: 'cues' }));
    list.append(...items);
    parent.replaceChildren(list);
    const buttons = items.map(item => item.firstElementChild as HTMLElement);
    buttons.forEach((button, index) => {
      button.addEventListener('click', () => {
        video.currentTime = (cues[index] as VTTCue).startTime + HAIR;
        void video.play().catch(() => {});
      });
    });
    const follow = () => {
      const active = new Set(track.track.activeCues ?? []);
      for (const [index, cue] of cues.entries()) {
        const button = buttons[index] as HTMLElement;
        const before = button.hasAttribute('aria-current');
        if (!active.has(cue)) button.removeAttribute('aria-current');
        else if (!before) {
          button.setAttribute('aria-current', 'true');
          keepInView(parent, button);
        }
      }
    };
    track.track.addEventListener('cuechange', follow);
    follow();
  });
  track.addEventListener('error', () => {
    fill(
      parent,
      el('p', { class: 'hint' }, 'The times of the transcript could not be loaded; here is the text alone.'),
    );
  });
  track.track.mode = 'showing';
}

/** Scrolls within the transcript alone: the page around it stays where it is. */
function keepInView(parent: HTMLElement, button: HTMLElement): void {
  const [room, place] = [parent.getBoundingClientRect(), button.getBoundingClientRect()];
  if (place.top >= room.top && place.bottom <= room.bottom) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const top = parent.scrollTop + place.top - room.top - room.height / 3;
  parent.scrollTo({ top, behavior: calm ? 'auto' : 'smooth' });
}
