import { type Screen, type State, screenOf } from '../state/state.ts';
import { createCaptureView } from './capture.ts';
import type { Elements } from './elements.ts';
import { createEndingsView, createSendingView } from './endings.ts';
import { createReviewView } from './review.ts';
import type { Texts } from './text.ts';
import { createWelcomeView } from './welcome.ts';

/** Creates the function that shows a state: one screen and its contents. */
export function createView(elements: Elements, texts: Texts, qrCode: string): (state: State, before: State) => void {
  const screens: Record<Screen, HTMLElement | undefined> = {
    refused: elements.screenRefused,
    welcome: elements.screenWelcome,
    capture: elements.screenCapture,
    review: elements.screenReview,
    sending: elements.screenSending,
    elsewhere: elements.screenElsewhere,
    done: elements.screenDone,
    problem: elements.screenProblem,
  };

  /** Shows one screen and focuses its heading, for keyboards and screen readers. */
  function showScreen(screen: Screen): void {
    for (const [name, element] of Object.entries(screens)) if (element) element.hidden = name !== screen;
    if (screen === 'capture') return;
    screens[screen]?.querySelector<HTMLElement>('h1[tabindex]')?.focus();
    scrollTo(0, 0);
  }

  const parts = [
    createWelcomeView(elements, texts),
    createReviewView(elements, texts),
    createSendingView(elements, texts),
    createEndingsView(elements, texts, qrCode),
    createCaptureView(elements, texts),
  ];

  return (state, before) => {
    const screen = screenOf(state.phase);
    if (screen !== screenOf(before.phase)) showScreen(screen);
    for (const show of parts) show(state, before);
    if (state.startup === 'ready' && state.phase.at !== 'settling') document.documentElement.dataset.ready = 'true';
  };
}
