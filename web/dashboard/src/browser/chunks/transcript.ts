import { addStyle } from '@recording-request/web-shared/browser/style';
import { clock } from '@recording-request/web-shared/clock';
import { Component, type ComponentChildren, createRef, h } from 'preact';
import { marked } from '../../search.ts';
import style from '../cues.css';
import type { Captioned } from '../player.ts';

addStyle(style);

/** Returns a cue's text without tags and escapes, from the browser's WebVTT parser. */
const textOf = (cue: VTTCue): string => cue.getCueAsHTML().textContent ?? '';

/** Jumps slightly past a cue's start; otherwise the previous cue would still be active. */
const HAIR = 0.01;

interface CuesProps {
  captioned: Captioned;
  /** The words to highlight. */
  words: string[];
}

const cuesIn = (list: TextTrackCueList | null): VTTCue[] => [...(list ?? [])] as VTTCue[];

/** The transcript, made from the captions. It follows the playback, and the playback jumps to a pressed text. */
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

/** Scrolls only the transcript, not the page around it. */
function keepInView(button: Element): void {
  const box = button.closest('#transcript');
  if (!box) return;
  const [room, place] = [box.getBoundingClientRect(), button.getBoundingClientRect()];
  if (place.top >= room.top && place.bottom <= room.bottom) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const top = box.scrollTop + place.top - room.top - room.height / 3;
  box.scrollTo({ top, behavior: calm ? 'auto' : 'smooth' });
}
