import { pagePath } from '@recording-request/web-shared/browser/page';
import { Refusal } from '@recording-request/web-shared/browser/requests';
import { announce, showText } from '@recording-request/web-shared/browser/texts';
import type { RecorderSettings } from '../../settings.ts';
import type { Effect, Event, Run } from '../state/events.ts';
import type { Elements } from '../view/elements.ts';
import { sentences, type Texts } from '../view/text.ts';
import { takesMore } from './api.ts';
import { createBegin } from './begin.ts';
import { createCameraSession } from './camera-session.ts';
import { linkOf, refQuery } from './link.ts';
import { lookAtFile } from './look-at-file.ts';
import { createPreview } from './preview.ts';
import { createTakes } from './takes.ts';
import { createWakeLock } from './wake-lock.ts';

/**
 * Creates the runner of all effects: the effects of the camera, the takes and the uploads, and the effects of the page
 * itself.
 */
export function createEffects(
  elements: Elements,
  texts: Texts,
  settings: RecorderSettings,
  dispatch: (event: Event) => void,
): (effect: Effect) => void {
  const takes = createTakes({ input: elements.file, link: linkOf(settings) }, dispatch);
  const run: Run<Effect['do']> = {
    ...takes.effects,
    ...createCameraSession(elements.live, takes, dispatch),
    ...createPreview(elements.playback, elements.save, takes, dispatch),
    ...pageEffects(elements, texts, settings, dispatch),
  };
  return effect => void (run[effect.do] as (effect: Effect) => unknown)(effect);
}

/** A Send that takes longer counts as slow. */
const SLOW_SEND_MS = 5_000;
/** The least time that the tick between two questions is visible. */
const ARRIVAL_MS = 1_200;

type PageEffect =
  | 'claim'
  | 'askForUses'
  | 'forgetResponse'
  | 'watchSending'
  | 'openFileChooser'
  | 'lookAtFile'
  | 'keepAwake'
  | 'holdArrival'
  | 'openDialog'
  | 'copyLink'
  | 'reload'
  | 'goToThankYou'
  | 'focus'
  | 'announce';

/** The effects of the page itself. */
function pageEffects(
  elements: Elements,
  { t, say }: Texts,
  settings: RecorderSettings,
  dispatch: (event: Event) => void,
): Run<PageEffect> {
  const begin = createBegin(settings);
  const keepAwake = createWakeLock();
  return {
    claim: ({ termsAccepted }) =>
      begin.claim(termsAccepted).then(
        response => dispatch({ is: 'claimed', response }),
        (error: unknown) => dispatch({ is: 'claimRefused', status: error instanceof Refusal ? error.status : 0 }),
      ),
    askForUses: () => takesMore().then(left => dispatch({ is: 'usesKnown', left })),
    forgetResponse: begin.forgetResponse,
    watchSending: ({ id }) => window.setTimeout(() => dispatch({ is: 'sendIsSlow', id }), SLOW_SEND_MS),
    keepAwake: ({ on }) => keepAwake(on),
    openFileChooser({ capture }) {
      const { file } = elements;
      // Lets the contributor choose the same file again.
      file.value = '';
      // Opens the camera app if there is one, otherwise the file chooser.
      if (capture) file.setAttribute('capture', 'user');
      else file.removeAttribute('capture');
      file.click();
    },
    async lookAtFile() {
      const [file] = elements.file.files ?? [];
      dispatch({ is: 'fileLookedAt', look: file ? await lookAtFile(file) : { kind: 'unreadable' } });
    },
    holdArrival: () => window.setTimeout(() => dispatch({ is: 'arrivalShown' }), ARRIVAL_MS),
    openDialog() {
      const { success: dialog, successText, doneMessage } = elements;
      successText.textContent = settings.successDialog || t('successMessage');
      const closed = () => {
        // The last screen now shows the owner's text, so this element must not repeat it.
        successText.textContent = '';
        showText(doneMessage, settings.successDialog ?? '');
        dispatch({ is: 'dialogClosed' });
      };
      if (typeof dialog.showModal !== 'function') return closed();
      dialog.onclose = closed;
      elements.successClose.onclick = () => dialog.close();
      dialog.showModal();
    },
    async copyLink() {
      const link = location.origin + linkOf(settings);
      const copied = await (navigator.clipboard?.writeText(link) ?? Promise.reject()).then(
        () => true,
        () => false,
      );
      dispatch({ is: 'linkCopied', copied });
      if (copied) return;
      elements.elsewhereLink.value = link;
      elements.elsewhereLink.select();
    },
    reload: () => location.reload(),
    goToThankYou: ({ id }) =>
      location.assign(
        `${pagePath}/thank-you?lang=${settings.lang}&response=${id}${refQuery(settings).replace('?', '&')}`,
      ),
    focus({ on }) {
      elements[on]?.focus();
      // focus() does not scroll to an element that already has the focus.
      elements[on]?.scrollIntoView({ block: 'nearest' });
    },
    announce: ({ texts }) => announce(sentences(texts.map(text => (typeof text === 'string' ? text : say(text))))),
  };
}
