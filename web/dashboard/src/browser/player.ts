import { pagePath } from '@recording-request/web-shared/browser/page';
import { type Attributes, Component, type ComponentChildren, createRef, h, type RefObject } from 'preact';
import { type Clip, titleOf } from '../clip.ts';

export const pathOf = ({ submissionId }: Clip): string => `${pagePath}/submissions/${submissionId}`;

/** A player with loaded captions. */
export interface Captioned {
  video: HTMLVideoElement;
  track: TextTrack;
}

export interface PlayerProps extends Attributes {
  clip: Clip;
  /** Refers to the player while it exists. It is not named `ref`, because Preact handles `ref` itself. */
  holder: RefObject<Player | null>;
  /**
   * True for a player with captions. The page cannot add captions later, so a player with captions has a different key.
   */
  captions: boolean;
  /** True to play at once, if the browser allows it. */
  plays: boolean;
  onCues(captioned: Captioned): void;
  onCuesFailed(): void;
}

/** Plays one clip. Stops loading the clip when it is no longer shown. */
export class Player extends Component<PlayerProps, { failed?: boolean }> {
  private readonly video = createRef<HTMLVideoElement>();
  private readonly track = createRef<HTMLTrackElement>();

  override componentDidMount(): void {
    const [video, track] = [this.video.current, this.track.current];
    if (!video) return;
    this.props.holder.current = this;
    if (track) {
      track.addEventListener('load', () => this.props.onCues({ video, track: track.track }));
      track.addEventListener('error', () => this.props.onCuesFailed());
      track.track.mode = 'showing';
    }
    video.src = `${pathOf(this.props.clip)}/video`;
    if (this.props.plays) this.play();
  }

  override componentWillUnmount(): void {
    const { holder } = this.props;
    if (holder.current === this) holder.current = null;
    const video = this.video.current;
    video?.pause();
    video?.removeAttribute('src');
    video?.load();
  }

  render({ clip, captions }: PlayerProps): ComponentChildren {
    const failed = this.state.failed;
    return h(
      'div',
      { id: 'player', class: 'player' },
      h(
        'video',
        {
          ref: this.video,
          class: clip.durationSec === null ? undefined : 'timed',
          controls: true,
          playsInline: true,
          preload: 'metadata',
          poster: clip.thumbnailMiddleUrl ? `${pathOf(clip)}/thumbnail-start` : undefined,
          'aria-label': `Player: ${titleOf(clip)}`,
          onError: () => this.video.current?.getAttribute('src') && this.setState({ failed: true }),
        },
        captions &&
          h('track', {
            ref: this.track,
            kind: 'captions',
            label: 'Transcript',
            src: `${pathOf(clip)}/transcript.vtt`,
          }),
      ),
      failed &&
        h(
          'p',
          { class: 'warning', role: 'alert' },
          'This browser cannot play the clip. Download the video below and play it in another app.',
        ),
    );
  }

  private play(): void {
    // Some browsers require a touch first. Then the clip stays paused.
    this.video.current?.play().catch(() => {});
  }

  /** Toggles between playing and paused. */
  toggle(): void {
    if (this.video.current?.paused) this.play();
    else this.video.current?.pause();
  }

  /** True when the reader has not used the player. */
  get untouched(): boolean {
    const video = this.video.current;
    return video === null || (video.paused && video.currentTime === 0);
  }
}
