import { announce, base, byId, onClick, settings, show, tell, words } from './page.ts';
import { shareOf } from './review.ts';
import type { Take } from './take.ts';
import type { Progress } from './uploader.ts';

const FULL = 100;
const MEGABYTE = 1_000_000;
const DIGITS = new Intl.NumberFormat(`${settings.lang}-u-nu-latn`, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const megabytes = (bytes: number): string => DIGITS.format(bytes / MEGABYTE);

/** The screen of a take on its way: it says that it is sent only once the server has said so. */
export function showSending(progress: Progress | undefined, size: number): void {
  const share = shareOf(progress, size);
  const declared = progress?.declared ?? false;
  const bar = byId<HTMLProgressElement>('progress');
  bar.value = share;
  // A full bar would say that it is done.
  bar.style.visibility = declared || share < FULL ? 'visible' : 'hidden';
  byId('sending-title').textContent = declared ? words('sending') : words('notSentYet');
  const safe = words('sendingText', { safe: megabytes(Math.min(progress?.safe ?? 0, size)), size: megabytes(size) });
  const state = !declared ? words('connecting') : progress?.finishing ? words('checkingTake') : safe;
  byId('sending-text').textContent = state;
  const trouble = progress?.trouble;
  tell('sending-trouble', trouble ? words(trouble === 'busy' ? 'busy' : 'offline') : '');
  show('sending');
}

export function showDone(text: string): void {
  byId('done-title').textContent = words('doneTitle');
  byId('done-text').textContent = text;
  show('done');
  announce(`${words('doneTitle')}. ${text}`);
}

/** The owner's own words, where there is to be a dialog; resolves when it was closed. */
export function successDialog(): Promise<void> {
  if (settings.successDialog === null) return Promise.resolve();
  const dialog = byId<HTMLDialogElement>('success');
  byId('success-text').textContent = settings.successDialog || words('successMessage');
  if (typeof dialog.showModal !== 'function') return Promise.resolve();
  return new Promise(resolve => {
    dialog.onclose = () => resolve();
    byId('success-close').onclick = () => dialog.close();
    dialog.showModal();
  });
}

export const goToThankYou = (): void => location.assign(`${base}/thank-you?lang=${settings.lang}`);

let retry: () => void = () => {};
let saved: string | undefined;

export interface Problem {
  title: string;
  text: string;
  /** What the button does, and says. */
  retry?: { label: string; act: () => void };
  /** A take that can be saved on the device. */
  take?: Take;
  /** Saving is what matters now: otherwise it is the second choice. */
  saveFirst?: boolean;
}

export function showProblem(problem: Problem): void {
  byId('problem-title').textContent = words(problem.title);
  byId('problem-text').textContent = problem.text;
  const button = byId('problem-retry');
  button.hidden = problem.retry === undefined;
  button.textContent = problem.retry?.label ?? '';
  retry = problem.retry?.act ?? (() => {});
  const save = byId<HTMLAnchorElement>('save');
  save.hidden = problem.take === undefined || problem.take.size === 0;
  const saveFirst = !save.hidden && (problem.saveFirst === true || button.hidden);
  button.className = saveFirst ? 'quiet' : 'primary';
  save.className = saveFirst ? 'primary button' : 'quiet button';
  if (saved) URL.revokeObjectURL(saved);
  saved = undefined;
  if (problem.take && !save.hidden) {
    saved = URL.createObjectURL(problem.take.whole());
    save.href = saved;
    save.download = `recording.${extensionOf(problem.take.record.type)}`;
  }
  // The primary one is always the upper one, for the eye and for the keyboard.
  save.parentElement?.prepend(saveFirst ? save : button);
  show('problem');
  announce(`${words(problem.title)}. ${problem.text}`);
}

function extensionOf(type: string): string {
  const kind = type.split(';')[0]?.trim();
  if (kind === 'video/mp4') return 'mp4';
  if (kind === 'video/quicktime') return 'mov';
  return kind === 'video/x-matroska' ? 'mkv' : 'webm';
}

export const wireEndings = (): void => onClick('problem-retry', () => retry());
