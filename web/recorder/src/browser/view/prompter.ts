import { chunkOf } from '@recording-request/web-shared/browser/chunk';
import { pagePath } from '@recording-request/web-shared/browser/page';
import { request } from '@recording-request/web-shared/browser/requests';
import { showText } from '@recording-request/web-shared/browser/texts';
import type { RecorderSettings } from '../../settings.ts';
import { linkOf } from '../effects/link.ts';
import type { Prompter } from '../prompter/prompter.ts';
import type { Store } from '../store.ts';
import type { Elements } from './elements.ts';
import type { Texts } from './text.ts';

const loadPrompter = chunkOf(() => import('../chunks/prompter.ts'));

/** Opens the text to read. A recording needs no text, so a part that did not load stops nothing. */
export function wirePrompter(elements: Elements, settings: RecorderSettings, { t }: Texts, store: Store): void {
  const { prompterOpen: opener, prompterProblem: problem, screenCapture: screen } = elements;
  let prompter: Prompter | undefined;
  const loadScript = async () => {
    const { response } = store.state;
    const query = response ? `?responseSessionId=${response.responseSessionId}` : '';
    return (await request(`${pagePath}/script${query}`)).text();
  };
  const onClose = () => {
    opener.hidden = false;
    opener.focus();
  };
  opener.addEventListener('click', () => {
    void loadPrompter().then(
      ({ createPrompter }) => {
        const hasScript = store.state.response?.hasScript ?? settings.hasScript;
        prompter ??= createPrompter({
          ...{ screen, lang: settings.lang, link: linkOf(settings), onClose },
          loadScript: hasScript ? loadScript : undefined,
        });
        showText(problem, '');
        opener.hidden = true;
        prompter.open();
      },
      () => showText(problem, t('partMissing')),
    );
  });
}
