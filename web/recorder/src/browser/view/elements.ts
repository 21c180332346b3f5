import { findElements, findOptional } from '@recording-request/web-shared/browser/elements';

// The elements that the server renders (src/page.ts and src/screens.ts) and the script changes.

export const ELEMENTS = {
  screenWelcome: 'section',
  welcomeBack: 'p',
  welcomeProblem: 'p',
  start: 'button',
  startAudio: 'button',
  chooseFile: 'button',
  elsewhere: 'button',
  toTake: 'button',
  file: 'input',

  screenCapture: 'section',
  captureTop: 'div',
  captureCount: 'p',
  captureQuestion: 'p',
  live: 'video',
  countdown: 'p',
  level: 'div',
  levelBar: 'div',
  readyText: 'p',
  recWord: 'span',
  elapsed: 'span',
  left: 'p',
  recSafe: 'p',
  devices: 'details',
  deviceLists: 'div',
  devicesProblem: 'p',
  camera: 'select',
  microphone: 'select',
  record: 'button',
  anyway: 'button',
  sign: 'button',
  cancelCountdown: 'button',
  stop: 'button',
  pause: 'button',
  resume: 'button',
  flip: 'button',
  prompterOpen: 'button',
  prompterProblem: 'p',
  cameraToTake: 'button',

  screenReview: 'section',
  reviewQuestion: 'p',
  reviewWarning: 'p',
  reviewState: 'p',
  playback: 'video',
  send: 'button',
  again: 'button',

  screenSending: 'section',
  sendingTitle: 'h1',
  sendingText: 'p',
  sendingTrouble: 'p',
  progress: 'progress',

  screenElsewhere: 'section',
  elsewhereReason: 'p',
  elsewhereTitle: 'h1',
  elsewhereText: 'p',
  elsewhereQr: 'img',
  elsewhereTold: 'p',
  elsewhereLink: 'input',
  copyLink: 'button',
  elsewhereRetry: 'button',
  elsewhereFile: 'button',

  screenDone: 'section',
  doneTitle: 'h1',
  doneText: 'p',
  doneMessage: 'p',
  doneNext: 'p',
  returnLink: 'a',
  another: 'button',
  success: 'dialog',
  successText: 'p',
  successClose: 'button',

  screenProblem: 'section',
  problemTitle: 'h1',
  problemText: 'p',
  problemRetry: 'button',
  save: 'a',
} as const;

/** The elements that only some projects and links have. */
export const OPTIONAL = { screenRefused: 'div', termsBox: 'div', terms: 'input', note: 'textarea' } as const;

export const recorderElements = () => ({ ...findElements(ELEMENTS), ...findOptional(OPTIONAL) });

export type Elements = ReturnType<typeof recorderElements>;
