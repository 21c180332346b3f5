import { setText, showText } from '@recording-request/web-shared/browser/texts';
import type { State } from '../state/state.ts';
import type { Elements } from './elements.ts';
import type { Texts } from './text.ts';

export function createWelcomeView(elements: Elements, { t, say }: Texts): (state: State) => void {
  const { start, chooseFile, elsewhere, welcomeBack, welcomeProblem, termsBox } = elements;
  const startLabel = start.textContent ?? '';
  return ({ visit, startup, phase, welcome, response, offerElsewhere }) => {
    const opening = phase.at === 'opening' && phase.over === 'welcome';
    const locked = startup === 'locked';
    setText(start, opening ? t('opening') : visit.canRecord ? startLabel : t('startFile'));
    start.disabled = locked || opening;
    chooseFile.disabled = locked;
    elsewhere.hidden = !offerElsewhere;
    showText(welcomeBack, say(welcome.hint));
    showText(welcomeProblem, say(welcome.problem));
    // Accepted with the response that has begun.
    if (response) termsBox?.remove();
  };
}
