import { clock } from '@recording-request/web-shared/clock';
import { announce, byId, onClick, settings, show, tell, words } from './page.ts';
import type { Take } from './take.ts';
import type { Progress } from './uploader.ts';

export interface ReviewPlan {
  send(note: string): void;
  again(): void;
}

// What browsers stop late by, as the server allows it.
const GRACE_S = 2;
const SEEK_LIMIT_MS = 2_000;

let plan: ReviewPlan;
let address: string | undefined;
let sendLabel: string | undefined;

/** Share of the take that the server has, in whole per cent, never rounded up. */
export const shareOf = (progress: Progress | undefined, size: number): number =>
  size === 0 ? 0 : Math.floor((100 * Math.min(progress?.safe ?? 0, size)) / size);

/** Shows a take that was not sent. A silent or black one is held back: sending it is then the second choice. */
export function showReview(
  take: Take,
  options: { notice: string; limit: number; question: string },
  next: ReviewPlan,
): void {
  plan = next;
  const { record } = take;
  const video = byId<HTMLVideoElement>('playback');
  closeReview();
  address = URL.createObjectURL(take.whole());
  video.src = address;
  const warning = record.heard ? (record.seen ? '' : words('takeBlack')) : words('takeSilent');
  hold(warning);
  tell('review-question', options.question);
  const note = document.getElementById('note') as HTMLTextAreaElement | null;
  if (note) note.value = record.note;
  byId('review-state').textContent = [options.notice, words('notSent')].filter(Boolean).join(' ');
  video.onloadedmetadata = () => {
    if (video.duration === Number.POSITIVE_INFINITY) learnLength(video, record.durationMs / 1_000);
    else if (video.duration > options.limit + GRACE_S) refuseLength(video.duration, options.limit);
  };
  video.hidden = false;
  video.onerror = () => {
    if (!video.src) return;
    video.hidden = true;
    if (warning === '') tell('review-warning', words('noPreview'));
  };
  show('review');
  announce([options.notice, warning, words('notSent')].filter(Boolean).join(' '));
}

function refuseLength(seconds: number, limit: number): void {
  byId<HTMLButtonElement>('send').disabled = true;
  tell('review-warning', words('tooLong', { time: clock(seconds), limit: clock(limit) }));
}

/** A live recording knows its length once it was looked at to its end; the controls come when that is done. */
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

function hold(warning: string): void {
  const held = warning !== '';
  tell('review-warning', warning);
  const send = byId<HTMLButtonElement>('send');
  const again = byId('again');
  send.disabled = false;
  sendLabel ??= send.textContent ?? '';
  send.textContent = held ? words('sendAnyway') : sendLabel;
  send.className = held ? 'quiet' : 'primary';
  again.className = held ? 'primary' : 'quiet';
  // The primary button is always the upper one, for the eye and for the keyboard.
  send.parentElement?.prepend(held ? again : send);
}

/** Tells how much of the take is safe while it is being looked at. */
export function tellReview(progress: Progress, size: number, notice: string): void {
  const text = words('saved', { share: shareOf(progress, size) });
  byId('review-state').textContent = [notice, text].filter(Boolean).join(' ');
}

export function closeReview(): void {
  const video = byId<HTMLVideoElement>('playback');
  video.pause();
  video.removeAttribute('src');
  video.load();
  if (address) URL.revokeObjectURL(address);
  address = undefined;
}

export function wireReview(): void {
  const note = () => (document.getElementById('note') as HTMLTextAreaElement | null)?.value.trim() ?? '';
  onClick('send', () => plan.send(settings.noteEnabled ? note() : ''));
  onClick('again', () => plan.again());
}
