import { clock } from '@recording-request/web-shared/clock';
import { Component, type ComponentChildren, createRef, h } from 'preact';
import { marked } from '../search.ts';
import type { Captioned } from './player.ts';

/** What a cue says, as the browser reads WebVTT: its tags and escapes are gone. */
const textOf = (cue: VTTCue): string => cue.getCueAsHTML().textContent ?? '';

/** Playback jumps slightly past a cue's own time, or the one before would still be the active one. */
const HAIR = 0.01;

interface CuesProps {
  captioned: Captioned;
  /** The words to mark. */
  words: string[];
}

const cuesIn = (list: TextTrackCueList | null): VTTCue[] => [...(list ?? [])] as VTTCue[];

/** The transcript that follows the playback, and jumps to the words that are pressed. Made of the captions themselves. */
export class Cues extends Component<CuesProps, { active: Set<TextTrackCue> }> {
  private readonly list = createRef<HTMLOListElement>();
  private readonly follow = (): void =>
    this.setState({ active: new Set(cuesIn(this.props.captioned.track.activeCues)) });
  override state = { active: new Set<TextTrackCue>() };

  override componentDidMount(): void {
    this.props.captioned.track.addEventListener('cuechange', this.follow);
    this.follow();
  }

  override componentWillUnmount(): void {
    this.props.captioned.track.removeEventListener('cuechange', this.follow);
  }

  override componentDidUpdate(_: CuesProps, before: { active: Set<TextTrackCue> }): void {
    const cues = cuesIn(this.props.captioned.track.cues);
    const begun = cues.findIndex(cue => this.state.active.has(cue) && !before.active.has(cue));
    const button = this.list.current?.children[begun]?.firstElementChild;
    if (button) keepInView(button);
  }

  render({ captioned: { video, track }, words }: CuesProps): ComponentChildren {
    const play = (cue: VTTCue) => {
      video.currentTime = cue.startTime + HAIR;
      void video.play().catch(() => {});
    };
    const item = (cue: VTTCue) =>
      h(
        'li',
        null,
        h(
          'button',
          {
            type: 'button',
            class: 'cue',
            'aria-current': this.state.active.has(cue) ? 'true' : undefined,
            onClick: () => play(cue),
          },
          h('span', { class: 'cue-time' }, clock(cue.startTime)),
          h('span', { dir: 'auto' }, marked(textOf(cue), words)),
        ),
      );
    return h('ol', { ref: this.list, class: 'cues' }, cuesIn(track.cues).map(item));
  }
}

/** Scrolls within the transcript alone: the page around it stays where it is. */
function keepInView(button: Element): void {
  const box = button.closest('#transcript');
  if (!box) return;
  const [room, place] = [box.getBoundingClientRect(), button.getBoundingClientRect()];
  if (place.top >= room.top && place.bottom <= room.bottom) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const top = box.scrollTop + place.top - room.top - room.height / 3;
  box.scrollTo({ top, behavior: calm ? 'auto' : 'smooth' });
}
