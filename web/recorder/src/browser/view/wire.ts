import type { Store } from '../store.ts';
import type { Elements } from './elements.ts';

// Removes control characters except white space, because the server refuses a text with them, and a pasted character
// must not lose a take.
const withoutControls = (text: string): string => text.replace(/(?![\s\u0080-\u009f])\p{Cc}/gu, '');

const entries = Object.entries as <K extends string, V>(object: Record<K, V>) => [K, V][];

/** The buttons whose event has no further data. */
const BUTTONS = {
  elsewhere: 'goElsewhere',
  copyLink: 'copyLink',
  elsewhereRetry: 'backFromElsewhere',
  anyway: 'recordAnyway',
  sign: 'sign',
  cancelCountdown: 'cancelCountdown',
  stop: 'stop',
  pause: 'pause',
  resume: 'resume',
  flip: 'flip',
  again: 'again',
  another: 'another',
  toTake: 'backToTake',
  cameraToTake: 'backToTake',
  problemRetry: 'retry',
} as const;

/** Turns the contributor's actions into events. */
export function wireEvents(elements: Elements, { dispatch }: Store): void {
  const { terms, note, file } = elements;
  const termsAccepted = () => terms?.checked ?? false;
  const onClick = (name: keyof Elements, act: () => void) => elements[name]?.addEventListener('click', act);

  for (const [name, is] of entries(BUTTONS)) onClick(name, () => dispatch({ is }));
  onClick('start', () => dispatch({ is: 'start', termsAccepted: termsAccepted() }));
  onClick('startAudio', () => dispatch({ is: 'start', termsAccepted: termsAccepted(), audio: true }));
  onClick('chooseFile', () => dispatch({ is: 'chooseFile', termsAccepted: termsAccepted() }));
  onClick('elsewhereFile', () => dispatch({ is: 'fileElsewhere', termsAccepted: termsAccepted() }));
  terms?.addEventListener('change', () => dispatch({ is: 'termsChanged' }));
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const type = chosen.type || (/\.mov$/i.test(chosen.name) ? 'video/quicktime' : '');
    dispatch({ is: 'fileChosen', name: chosen.name, type });
  });

  onClick('record', () => dispatch({ is: 'record', now: performance.now() }));
  for (const kind of ['camera', 'microphone'] as const)
    elements[kind].addEventListener('change', () => dispatch({ is: 'deviceChosen', kind, id: elements[kind].value }));

  note?.addEventListener('input', () => dispatch({ is: 'noteChanged', note: withoutControls(note.value) }));
  for (const kind of ['online', 'offline'])
    addEventListener(kind, () => dispatch({ is: 'connection', online: kind === 'online' }));
  onClick('send', () => dispatch({ is: 'send', note: withoutControls(note?.value ?? '').trim() }));
}

/**
 * Asks before the contributor leaves the page during a take, because leaving is rarely intended. The page keeps the
 * recording anyway.
 */
export function confirmLeaving(store: Store): void {
  addEventListener('beforeunload', event => {
    const { phase } = store.state;
    if (phase.at === 'capture' && (phase.mode.is === 'recording' || phase.mode.is === 'paused')) event.preventDefault();
  });
}

/** Closes popups with Escape or a touch elsewhere. */
export function foldPopups(): void {
  const fold = (except: EventTarget | null) => {
    for (const popup of document.querySelectorAll<HTMLDetailsElement>('.languages[open], #devices[open]')) {
      if (except instanceof Node && popup.contains(except)) continue;
      popup.open = false;
    }
  };
  addEventListener('pointerdown', event => fold(event.target));
  addEventListener('keydown', event => event.key === 'Escape' && fold(null));
}
