import { setText, showText } from '@recording-request/web-shared/browser/texts';
import { clock } from '@recording-request/web-shared/clock';
import { modesOf, type Problem, type State, shareOf, uploadSecondsOf, wholeSize } from '../state/state.ts';
import type { Elements } from './elements.ts';
import type { Texts } from './text.ts';

const FULL = 100;

/** Shows an upload. Says that the take is sent only after the server has confirmed it. */
export function createSendingView(elements: Elements, { t, megabytes }: Texts): (state: State) => void {
  const { progress: bar, sendingTitle, sendingText, sendingTrouble } = elements;
  return state => {
    const { phase, take, progress } = state;
    if (phase.at === 'file' && phase.step === 'reading') {
      bar.value = 0;
      bar.style.visibility = 'visible';
      setText(sendingTitle, t('checking'));
      showText(sendingText, '');
      showText(sendingTrouble, '');
    }
    if (phase.at !== 'sending' || !take) return;
    const share = shareOf(state);
    const declared = progress?.declared ?? false;
    bar.value = share;
    // A full bar would look finished.
    bar.style.visibility = declared || share < FULL ? 'visible' : 'hidden';
    const trouble = progress?.trouble;
    // Without a free use of the link the take cannot land, even if the server knows that the contributor pressed Send.
    const busy = trouble === 'busy';
    // Send usually takes a second, which needs no warning.
    const late = !declared && (phase.slow === true || Boolean(trouble));
    setText(sendingTitle, t(late || busy ? 'notSentYet' : 'sending'));
    const whole = wholeSize(take);
    const safe = { safe: megabytes(Math.min(progress?.safe ?? 0, whole)), size: megabytes(whole) };
    const seconds = uploadSecondsOf(state);
    const left = seconds === undefined ? '' : ` ${t('timeLeft', { time: clock(seconds) })}`;
    const arrived = progress?.finishing ? t('checkingTake') : t('sendingText', safe) + left;
    // The page sends nothing while it cannot reach the server.
    showText(sendingText, late ? (trouble ? '' : t('connecting')) : arrived);
    showText(sendingTrouble, trouble ? t(busy ? 'busy' : 'offline') : '');
  };
}

/** Offers the owner's address as the next step. The contributor reads the host before going there. */
function showReturn({ returnLink, another }: Elements, t: Texts['t'], returnUrl: string | null): void {
  returnLink.hidden = returnUrl === null;
  another.className = returnUrl === null ? 'primary' : 'quiet';
  if (returnUrl === null) return;
  returnLink.href = returnUrl;
  setText(returnLink, t('continueTo', { host: new URL(returnUrl).host }));
}

/** Shows the last screens: the take arrived, did not arrive, or the contributor continues on another device. */
export function createEndingsView(
  elements: Elements,
  { t, say }: Texts,
  qrCode: string,
): (state: State, before: State) => void {
  const closePage = elements.doneNext.textContent ?? '';

  function showProblem({ title, text, retry, save, saveFirst = false }: Problem): void {
    const { problemRetry: button, save: link } = elements;
    setText(elements.problemTitle, t(title));
    setText(elements.problemText, say(text));
    button.hidden = retry === undefined;
    setText(button, retry ? t(retry.label) : '');
    link.hidden = save === undefined || save.size === 0;
    const first = !link.hidden && (saveFirst || button.hidden);
    button.className = first ? 'quiet' : 'primary';
    link.className = first ? 'primary button' : 'quiet button';
    // The primary button is always the upper button, for the eye and for the keyboard.
    link.parentElement?.prepend(first ? link : button);
  }

  function showElsewhere(state: State): void {
    const { phase, visit } = state;
    const { inHand } = visit;
    if (phase.at !== 'elsewhere') return;
    setText(elements.elsewhereTitle, t(inHand ? 'browserTitle' : 'phoneTitle'));
    setText(elements.elsewhereText, t(inHand ? 'browserText' : 'phoneText'));
    showText(elements.elsewhereReason, say(phase.reason));
    showText(elements.elsewhereTold, phase.copied === undefined ? '' : t(phase.copied ? 'linkCopied' : 'copyThis'));
    elements.elsewhereLink.hidden = phase.copied !== false;
    elements.elsewhereFile.hidden = !modesOf(state).includes('file');
    elements.elsewhereQr.hidden = inHand;
    if (inHand) setText(elements.elsewhereFile, t('startFile'));
    else elements.elsewhereQr.src = qrCode;
    setText(elements.elsewhereRetry, t('tryAgain'));
  }

  function showArrival({ answered, next }: Extract<State['phase'], { at: 'arrived' }>): void {
    setText(elements.doneTitle, t('answerArrived', { number: answered }));
    setText(elements.doneText, t('doneText'));
    showText(elements.doneNext, t('nextUp', { ...next }));
    for (const name of ['doneMessage', 'returnLink', 'another'] as const) elements[name].hidden = true;
  }

  return (state, before) => {
    const { phase } = state;
    if (phase === before.phase) return;
    if (phase.at === 'elsewhere') showElsewhere(state);
    if (phase.at === 'problem') showProblem(phase);
    if (phase.at === 'arrived') showArrival(phase);
    if (phase.at !== 'done') return;
    const returnUrl = state.response?.returnUrl ?? null;
    showReturn(elements, t, returnUrl);
    showText(elements.doneNext, returnUrl === null ? closePage : '');
    elements.another.hidden = !phase.another;
    setText(elements.another, t('another'));
    setText(elements.doneTitle, t('doneTitle'));
    setText(elements.doneText, say(phase.text));
  };
}
