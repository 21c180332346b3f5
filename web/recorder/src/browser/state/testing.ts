import type { Effect, Event } from './events.ts';
import type { FileLook } from './file.ts';
import { reduce } from './reduce.ts';
import { initialState, type Response, type State, type Visit } from './state.ts';
import type { Take } from './take.ts';

// The fixtures of the recorder's state tests.

export const VISIT: Visit = {
  active: true,
  questions: [],
  answered: [],
  shared: false,
  maxDurationSec: 120,
  modes: ['video', 'file'],
  requireTerms: false,
  successDialog: false,
  canRecord: true,
  canPause: true,
  inHand: false,
  platform: 'Desktop',
};

export const GOOD = { level: 0.5, heard: true, seen: true, watchedMs: 2_000 };
export const SILENT = { ...GOOD, heard: false };
export const DEVICES = {
  cameras: [
    { id: 'front', label: 'Front' },
    { id: 'back', label: 'Back' },
  ],
  microphones: [],
  camera: 'front',
};

/** Returns a response with an answer for each question; the first `landed` have landed. */
export const response = (questions: string[] = [], landed = 0): Response => {
  const indices = questions.length > 0 ? questions.map((_, index) => index) : [null];
  return {
    responseSessionId: 'r1',
    maxDurationSec: 120,
    questions,
    answers: indices.map((questionIndex, at) => ({
      questionIndex,
      submissionId: at < landed ? `s${at}` : null,
      uploads: [],
    })),
    complete: landed >= indices.length,
    thankYouUrl: null,
    completionCode: null,
    returnUrl: null,
    hasScript: false,
    answerModes: ['video', 'file'],
  };
};

export const take = (fields: Partial<Take> = {}): Take => ({
  id: 't1',
  link: '/r/vr_1',
  responseSessionId: 'r1',
  questionIndex: null,
  startedAt: 0,
  type: 'video/webm',
  byFile: false,
  durationMs: 3_000,
  recorded: 0,
  stopped: true,
  sent: false,
  note: '',
  uploadUrl: '/r/vr_1/uploads/u1',
  heard: true,
  seen: true,
  size: 1_000,
  ...fields,
});

/** Returns the state after all events, and the effects of the last event. */
export function play(events: Event[], from: State = initialState(VISIT)): { state: State; effects: Effect[] } {
  let state = from;
  let effects: Effect[] = [];
  for (const event of events) ({ state, effects } = reduce(state, event));
  return { state, effects };
}

export const kinds = (effects: Effect[]): string[] => effects.map(effect => effect.do);

/** The events from the first screen to the camera's screen. */
export const TO_CAMERA: Event[] = [
  { is: 'onlyTab' },
  { is: 'leftTakes', takes: [] },
  { is: 'start', termsAccepted: false },
  { is: 'cameraOpened', devices: DEVICES },
];

export const tick = (now: number, reading = GOOD, elapsed = 0): Event => ({ is: 'tick', now, reading, elapsed });

/** The events from the camera's screen to a running recording. */
export const TO_RECORDING: Event[] = [
  ...TO_CAMERA,
  tick(0),
  { is: 'record', now: 0 },
  { is: 'claimed', response: response() },
  tick(0),
  tick(3_000),
  { is: 'takeMade', take: take({ size: 0, stopped: false }) },
];

/** The events from the camera's screen to the review of a take. */
export const TO_REVIEW: Event[] = [...TO_RECORDING, { is: 'stop' }, { is: 'recordingStopped', take: take() }];

export const TO_SENDING: Event[] = [...TO_REVIEW, { is: 'send', note: '' }];

export const CHOSEN: Event = { is: 'fileChosen', name: 'clip.mp4', type: 'video/mp4' };
export const looked = (look: FileLook): Event => ({ is: 'fileLookedAt', look });
export const FOUND = looked({ kind: 'video', seconds: 9 });
