import { pagePath, readSettings } from '@recording-request/web-shared/browser/page';
import { addStyle } from '@recording-request/web-shared/browser/style';
import type { RecorderSettings } from '../settings.ts';
import { reportFirstTouch } from './effects/api.ts';
import { createBackButton } from './effects/back-button.ts';
import { canRecord } from './effects/camera.ts';
import { forget, onlyTab } from './effects/device-memory.ts';
import { linkOf, refQuery } from './effects/link.ts';
import { createEffects } from './effects/run.ts';
import laterStyle from './later.css';
import { canGoBack } from './state/back.ts';
import type { Effect, Event } from './state/events.ts';
import { reduce } from './state/reduce.ts';
import { initialState, type Platform, type State, type Visit } from './state/state.ts';
import { createStore } from './store.ts';
import { recorderElements } from './view/elements.ts';
import { knownQuestions, loadOnUnfold, showLocalTimes } from './view/first-view.ts';
import { wirePrompter } from './view/prompter.ts';
import { createTexts } from './view/text.ts';
import { createView } from './view/view.ts';
import { confirmLeaving, foldPopups, wireEvents } from './view/wire.ts';

// One contributor's visit: events → reduce → view and effects.

function visitOf(settings: RecorderSettings): Visit {
  return {
    active: settings.status === 'active',
    questions: knownQuestions(settings),
    answered: settings.answered,
    shared: settings.shared,
    maxDurationSec: settings.maxDurationSec,
    modes: settings.modes,
    requireTerms: settings.requireTerms,
    successDialog: settings.successDialog !== null,
    canRecord: canRecord(),
    canPause: canRecord() && typeof MediaRecorder.prototype.pause === 'function',
    inHand: matchMedia('(pointer: coarse)').matches,
    platform: platformOf(navigator),
  };
}

/** An iPad reports itself as a Mac. */
function platformOf({ userAgent, maxTouchPoints }: Navigator): Platform {
  if (/iP(?:hone|ad|od)/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)) return 'Ios';
  return /Android/.test(userAgent) ? 'Android' : 'Desktop';
}

function boot(): void {
  addStyle(laterStyle);
  reportFirstTouch();
  foldPopups();
  const settings = readSettings<RecorderSettings>();
  showLocalTimes(settings.lang);
  const elements = recorderElements();
  const texts = createTexts(settings);
  loadOnUnfold(settings.answered, texts.t('noConnection'));
  const view = createView(elements, texts, `${pagePath}/qr.png${refQuery(settings)}`);
  const dispatch = (event: Event) => store.dispatch(event);
  const run: (effect: Effect) => void = createEffects(elements, texts, settings, dispatch);
  const initial = initialState(visitOf(settings));
  const backButton = createBackButton(() => dispatch({ is: 'back' }));
  const render = (state: State, before: State) => {
    view(state, before);
    backButton.update(canGoBack(state));
  };
  const store = createStore(initial, reduce, render, run);
  view(initial, initial);
  wireEvents(elements, store);
  wirePrompter(elements, settings, texts, store);
  confirmLeaving(store);
  // The thank-you page leads here for another response.
  if (location.hash === '#another') {
    forget(linkOf(settings));
    history.replaceState(null, '', location.pathname + location.search);
  }
  void onlyTab(linkOf(settings), () => dispatch({ is: 'otherTab' })).then(() => dispatch({ is: 'onlyTab' }));
}

boot();
