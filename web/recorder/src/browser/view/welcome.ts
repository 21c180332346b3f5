import { setText, showText } from '@recording-request/web-shared/browser/texts';
import { answeredOf, keptTake, modesOf, questionOf, questionsOf, type State, screenOf } from '../state/state.ts';
import type { Elements } from './elements.ts';
import type { Texts } from './text.ts';

/** Returns whether two questions differ; the page does not know each of its questions. */
const isOther = (one: string | undefined, known: string | undefined): boolean => Boolean(known) && one !== known;

export function createWelcomeView(elements: Elements, { t, say }: Texts): (state: State, before: State) => void {
  const { toTake, terms, start, startAudio, chooseFile, elsewhere, welcomeBack, welcomeProblem, termsBox } = elements;
  const shown = (state: State) => screenOf(state.phase) === 'welcome' && state.startup === 'ready';
  const startLabel = start.textContent ?? '';
  const chooseLabel = chooseFile.textContent ?? '';
  return (state, before) => {
    const { visit, startup, phase, welcome, response, offerElsewhere } = state;
    const opening = phase.at === 'opening' && phase.over === 'welcome';
    const locked = startup === 'locked';
    setText(start, opening ? t('opening') : visit.canRecord ? startLabel : t('startFile'));
    start.disabled = startAudio.disabled = locked || opening;
    const modes = modesOf(state);
    // Without a recorder, the device's camera app makes a file.
    start.hidden = !modes.includes(visit.canRecord ? 'video' : 'file');
    startAudio.hidden = !visit.canRecord || !modes.includes('audio');
    chooseFile.hidden = !modes.includes('file');
    chooseFile.disabled = locked;
    setText(chooseFile, welcome.problem && welcome.ofFile ? t('chooseAnother') : chooseLabel);
    elsewhere.hidden = !offerElsewhere;
    showText(welcomeBack, say(welcome.hint));
    const answered = answeredOf(state);
    const questions = questionsOf(state);
    // More cards may have been added. The questions of the response may differ from the questions of the page.
    const marks = [...elements.screenWelcome.querySelectorAll<HTMLElement>('.answered')];
    for (const [index, mark] of marks.entries())
      mark.hidden = !answered.includes(index) || isOther(questions[index], visit.questions[index]);
    showText(welcomeProblem, say(welcome.problem));
    toTake.hidden = keptTake(state) === undefined;
    // The contributor accepts the terms once per response, so the box is hidden while a response is in progress.
    if (termsBox) termsBox.hidden = response !== undefined;
    terms?.setAttribute('aria-invalid', String(welcome.problem?.[0] === 'termsMissing'));
    if (terms && before.response && !response) terms.checked = false;
    if (answered.length > 0 && shown(state) && !shown(before)) {
      const due = (questionOf(state)?.number ?? 1) - 1;
      const card = marks[due]?.parentElement;
      card?.closest('details')?.toggleAttribute('open', true);
      card?.scrollIntoView({ block: 'nearest' });
    }
  };
}
