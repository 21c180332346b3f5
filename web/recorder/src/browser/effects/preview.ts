import type { Event, Run } from '../state/events.ts';
import type { StoredTake } from './take.ts';
import type { Takes } from './takes.ts';

const SEEK_LIMIT_MS = 2_000;

/** Plays a take from this device. The download link gets the take and a file name of its type. */
export function createPreview(
  video: HTMLVideoElement,
  link: HTMLAnchorElement,
  takes: Takes,
  dispatch: (event: Event) => void,
): Run<'openPreview' | 'closePreview' | 'offerSave'> {
  let address: string | undefined;

  function addressOf(take: StoredTake | undefined): string {
    if (address) URL.revokeObjectURL(address);
    address = take && URL.createObjectURL(take.whole());
    return address ?? '';
  }

  function closePreview(): void {
    video.pause();
    video.removeAttribute('src');
    video.load();
    addressOf(undefined);
  }

  return {
    closePreview,
    openPreview({ take }) {
      closePreview();
      video.src = addressOf(takes.get(take.id));
      video.onloadedmetadata = () => {
        // This browser plays only the sound of the video, so the player would stay black.
        if (video.videoWidth === 0) dispatch({ is: 'previewFailed' });
        else if (video.duration === Number.POSITIVE_INFINITY) learnLength(video, take.durationMs / 1_000);
      };
      video.onerror = () => video.src && dispatch({ is: 'previewFailed' });
    },
    offerSave({ id }) {
      const take = takes.get(id);
      link.href = addressOf(take);
      link.download = `recording.${extensionOf(take?.record.type ?? '')}`;
    },
  };
}

/** Seeks to the end, where the browser learns the length of a live recording; then shows the controls. */
function learnLength(video: HTMLVideoElement, seconds: number): void {
  video.controls = false;
  const back = () => {
    window.clearTimeout(limit);
    video.onseeked = null;
    video.currentTime = 0;
    video.controls = true;
  };
  const limit = window.setTimeout(back, SEEK_LIMIT_MS);
  video.onseeked = back;
  video.currentTime = seconds + 1;
}

function extensionOf(type: string): string {
  const kind = type.split(';')[0]?.trim();
  if (kind === 'video/mp4') return 'mp4';
  if (kind === 'video/quicktime') return 'mov';
  return kind === 'video/x-matroska' ? 'mkv' : 'webm';
}
