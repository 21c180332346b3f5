import { setText, showText } from '@recording-request/web-shared/browser/texts';
import { warningOf } from '../state/look.ts';
import { isPart, type State, shareOf } from '../state/state.ts';
import type { Elements } from './elements.ts';
import type { Texts } from './text.ts';

export function createReviewView(
  elements: Elements,
  { t, say, percent }: Texts,
): (state: State, before: State) => void {
  const { send, again, note, playback } = elements;
  const againLabel = again.textContent ?? '';
  const sendLabel = send.textContent ?? '';

  /** Makes sending the second choice for a silent or black take. */
  function holdBack(held: boolean): void {
    setText(send, held ? t('sendAnyway') : sendLabel);
    send.className = held ? 'quiet' : 'primary';
    again.className = held ? 'primary' : 'quiet';
    // The primary button is always the upper button, for the eye and for the keyboard.
    send.parentElement?.prepend(held ? again : send);
  }

  return (state, before) => {
    const { phase, take } = state;
    if (phase.at !== 'review' || !take) return;
    const warning = warningOf(take);
    if (before.phase.at !== 'review') {
      holdBack(warning !== undefined);
      setText(again, take.byFile ? t('chooseAnother') : againLabel);
      showText(elements.reviewQuestion, phase.question);
      if (note) note.value = take.note;
    }
    const { noPreview, notice } = phase;
    playback.hidden = noPreview === true;
    showText(elements.reviewWarning, say(warning ?? (noPreview ? ['noPreview'] : undefined)));
    const saved = isPart(take) ? 'savedPart' : 'saved';
    const safe = state.progress ? t(saved, { share: percent(shareOf(state)) }) : t('notSent');
    setText(elements.reviewState, [say(notice), safe].filter(Boolean).join(' '));
  };
}
