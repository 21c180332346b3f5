import { chunkOf } from '@recording-request/web-shared/browser/chunk';
import { setText, showText } from '@recording-request/web-shared/browser/texts';
import { clock } from '@recording-request/web-shared/clock';
import {
  type Capture,
  choiceOf,
  type Devices,
  keptTake,
  type Mode,
  offlineText,
  type State,
  shareOf,
} from '../state/state.ts';
import type { Elements } from './elements.ts';
import type { Texts } from './text.ts';

/** The look of the screen: `data-for` in the page lists the looks that show an element. */
type Look = 'ready' | 'held' | 'countdown' | 'recording' | 'paused';

function lookOf(mode: Mode): Look {
  if (mode.is === 'claiming') return mode.over;
  if (mode.is === 'checking') return 'ready';
  return mode.is === 'starting' ? 'countdown' : mode.is;
}

const FOCUS = {
  ready: 'record',
  held: 'anyway',
  countdown: 'cancelCountdown',
  recording: 'stop',
  paused: 'resume',
} as const;

const loadDevices = chunkOf(() => import('../chunks/devices.ts'));

// A question of at least this many letters is shown smaller.
const LONG_QUESTION = 80;

/** Marks an element that has more text below, and makes it scrollable by keyboard. */
function markMore(element: HTMLElement): void {
  const mark = () => {
    const more = element.scrollHeight - element.clientHeight - element.scrollTop > 4;
    element.classList.toggle('more', more);
    if (element.scrollHeight > element.clientHeight) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  };
  element.addEventListener('scroll', mark);
  for (const each of [element, ...element.children]) new ResizeObserver(mark).observe(each);
}

export function createCaptureView(elements: Elements, texts: Texts): (state: State, before: State) => void {
  const { t, say, percent } = texts;
  markMore(elements.captureTop);

  function showLook(look: Look, canPause: boolean): void {
    elements.screenCapture.dataset.mode = look;
    for (const element of elements.screenCapture.querySelectorAll<HTMLElement>('[data-for]'))
      if (element !== elements.flip) element.hidden = !element.dataset.for?.split(' ').includes(look);
    if (!canPause) elements.pause.hidden = true;
    elements[FOCUS[look]].focus();
  }

  function showQuestion({ question }: Capture): void {
    elements.screenCapture.classList.toggle('asked', question !== undefined);
    elements.screenCapture.classList.toggle('long', (question?.text.length ?? 0) > LONG_QUESTION);
    elements.captureTop.scrollTop = 0;
    setText(elements.captureCount, question ? t('question', { ...question }) : '');
    setText(elements.captureQuestion, question?.text ?? '');
  }

  function showReading({ mode, reading, notice }: Capture, audio: boolean): void {
    elements.sign.hidden = audio || !('why' in mode) || mode.why !== 'silent';
    setText(elements.readyText, mode.is === 'ready' && notice ? say(notice) : readyText(mode, reading, audio, t));
    const level = Math.round((reading?.level ?? 0) * 100);
    elements.levelBar.style.transform = `scaleX(${level / 100})`;
    elements.level.setAttribute('aria-valuenow', String(level));
  }

  function showRecording(mode: Extract<Mode, { limit: number; elapsed: number }>, state: State): void {
    setText(elements.recWord, t(mode.is));
    setText(elements.elapsed, clock(mode.elapsed));
    setText(elements.left, t('left', { time: clock(Math.ceil(mode.limit - mode.elapsed)) }));
    const safe = state.progress ? t('safe', { share: percent(shareOf(state)) }) : '';
    setText(elements.recSafe, say(offlineText(state)) || safe);
  }

  let shownDevices: Devices | undefined;

  /** Shows the lists of devices, or in their place that they could not be loaded. A recording needs no lists. */
  function showDevices(devices: Devices): void {
    shownDevices = devices;
    const show = (act?: () => void) => {
      if (devices !== shownDevices) return;
      act?.();
      elements.deviceLists.hidden = act === undefined;
      showText(elements.devicesProblem, act ? '' : t('partMissing'));
    };
    void loadDevices().then(
      ({ fillLists }) => show(() => fillLists(elements, devices)),
      () => show(),
    );
  }

  elements.devices.addEventListener('toggle', () => {
    if (elements.devices.open && shownDevices) showDevices(shownDevices);
  });

  return (state, { phase: before }) => {
    const { phase, visit } = state;
    if (phase.at !== 'capture') return;
    const { mode, devices } = phase;
    const look = lookOf(mode);
    const entered = before.at !== 'capture';
    if (before.at !== 'capture' || phase.question !== before.question) showQuestion(phase);
    if (devices && (entered || devices !== before.devices)) showDevices(devices);
    // A disabled button cannot get the focus.
    elements.record.disabled = mode.is === 'checking' || mode.is === 'claiming';
    if (entered || look !== lookOf(before.mode)) showLook(look, visit.canPause);
    if (look === 'ready' || look === 'held') showReading(phase, choiceOf(state).audio === true);
    elements.cameraToTake.hidden = keptTake(state) === undefined;
    if (devices)
      elements.flip.hidden = !(look !== 'recording' && look !== 'paused' && devices.cameras.length > 1 && visit.inHand);
    if (mode.is === 'countdown') setText(elements.countdown, String(mode.seconds));
    if (mode.is === 'recording' || mode.is === 'paused') showRecording(mode, state);
  };
}

function readyText(mode: Mode, reading: Capture['reading'], audio: boolean, t: Texts['t']): string {
  if (mode.is === 'held' || (mode.is === 'claiming' && mode.why)) return t(mode.why ?? '');
  if (mode.is !== 'ready') return t('checking');
  if (!reading) return '';
  return t(reading.heard && reading.seen ? (audio ? 'heardAudio' : 'heard') : 'hint');
}
