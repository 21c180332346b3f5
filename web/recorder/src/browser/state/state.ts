import type { ContributorResponseJson } from '@recording-request/contract/resources/contributor-response';
import type { AnswerModeName } from '@recording-request/contract/resources/fields';
import { earlierAnswers, nextQuestion } from '../../questions.ts';
import type { Take } from './take.ts';

// The recorder's state, as plain data. reduce.ts computes the next state, view/ shows it, and effects/ act on it.

/** One contributor's pass through the link. */
export type Response = ContributorResponseJson;
export type Answer = Response['answers'][number];
export type UploadState = Answer['uploads'][number];
/** The reason for the server's refusal. `too_large` comes before the server has all of the take. */
export type RefusalCode = NonNullable<UploadState['errorCode']> | 'too_large';

/** The key of a text of the page, with its values. */
export type Message = readonly [key: string, values?: Record<string, string | number>];

/** The constants of a visit: the link's project, the browser, the device. */
export interface Visit {
  active: boolean;
  questions: readonly string[];
  /** Positions of the questions that were answered before the page was opened, on any device. */
  answered: readonly number[];
  /** True when the link takes the responses of many contributors, or several responses of one contributor. */
  shared: boolean;
  maxDurationSec: number;
  modes: readonly AnswerModeName[];
  requireTerms: boolean;
  /** True when the owner wants a dialog after the last take. */
  successDialog: boolean;
  /** True when the browser can show and record a camera. */
  canRecord: boolean;
  canPause: boolean;
  /** True for a phone or tablet. Its apps have their own browsers, and a phone needs no QR code. */
  inHand: boolean;
  /** Selects the help about camera permissions. */
  platform: Platform;
}

export type Platform = 'Ios' | 'Android' | 'Desktop';

/** The progress of a take's upload. */
export interface Progress {
  /** The bytes that the server has acknowledged. */
  safe: number;
  /** True when the server knows the length of the take. From then on, the take counts as sent. */
  declared: boolean;
  /** True when the server has every byte and is checking them. */
  finishing: boolean;
  trouble: null | 'network' | 'busy';
  /** The bytes per second that the server acknowledged recently; undefined until it has acknowledged some. */
  pace?: number;
}

/** The reason why a take was lost. The take can still be saved on the device. */
export type Loss = 'incomplete' | 'answered' | 'gone';

export interface Choice {
  camera?: string;
  microphone?: string;
  facing: 'user' | 'environment';
  /** True for a recording of the sound alone. */
  audio?: boolean;
}

export interface Device {
  id: string;
  /** "" until the user has allowed the camera. */
  label: string;
}

/** The active camera and microphone, and the alternatives. */
export interface Devices {
  cameras: readonly Device[];
  microphones: readonly Device[];
  camera?: string;
  microphone?: string;
  facing?: string;
}

/** A reading of picture and sound. */
export interface Reading {
  /** The perceived sound level, 0 to 1. */
  level: number;
  /** True when sound was heard since the camera was turned on or the recording began. */
  heard: boolean;
  seen: boolean;
  watchedMs: number;
}

export type Mode =
  | { is: 'ready' }
  /** After a press on Record, the page checks picture and sound for a moment. */
  | { is: 'checking'; since: number }
  /** Held, because there is no sound or picture. */
  | { is: 'held'; why: 'silent' | 'black' }
  /** The page claims a use of the link, and the screen does not change. */
  | { is: 'claiming'; over: 'ready' | 'held'; why?: 'silent' | 'black' }
  | { is: 'countdown'; limit: number; seconds: number; since?: number }
  /** The take is being created. */
  | { is: 'starting'; limit: number }
  | { is: 'recording' | 'paused'; limit: number; elapsed: number; warned: readonly number[]; notice?: Message };

/** The camera's screen. */
export interface Capture {
  at: 'capture';
  mode: Mode;
  question?: Question;
  /** undefined while another camera starts. */
  devices?: Devices;
  /** The previous choice, in case the chosen camera fails. */
  before?: Choice;
  reading?: Reading;
  /** Shown until the recording begins. */
  notice?: Message;
}

export interface Question {
  number: number;
  count: number;
  text: string;
}

export interface Review {
  at: 'review';
  notice?: Message;
  question: string;
  noPreview?: boolean;
}

export interface Problem {
  at: 'problem';
  title: string;
  text: Message;
  retry?: { label: string; to: 'welcome' | 'reload' | 'again' | 'another' };
  /** A take that can be saved on the device. */
  save?: Take;
  /** True when saving is the first choice. */
  saveFirst?: boolean;
}

/** The current screen. */
export type Phase =
  | { at: 'refused' }
  | { at: 'welcome' }
  /** The camera is starting; the previous screen stays. */
  | { at: 'opening'; over: Screen }
  | Capture
  /** A file was chosen. The page checks the file, claims a use, then stores the file. */
  | { at: 'file'; step: 'looking' | 'claiming' | 'reading'; over: Screen; name: string; type: string }
  | Review
  /** `slow` is true when some seconds have passed. The page then says that nothing is sent yet. */
  | { at: 'sending'; slow?: true }
  /** The upload has ended and the page reads the response; the previous screen stays. */
  | { at: 'settling'; over: Screen; lost?: { take: Take; loss: Loss } }
  /** An answer of an interview has landed, and another question follows. */
  | { at: 'arrived'; answered: number; next: Question }
  /** `another`: the link takes another response. */
  | { at: 'done'; text: Message; dialog: boolean; another?: true }
  | Problem
  | { at: 'elsewhere'; reason?: Message; copied?: boolean };

export type Screen = 'refused' | 'welcome' | 'capture' | 'review' | 'sending' | 'elsewhere' | 'done' | 'problem';

export interface State {
  readonly visit: Visit;
  /** `locked`: another tab has the link; `starting`: the page checks earlier takes. */
  startup: 'locked' | 'starting' | 'ready';
  phase: Phase;
  /** The message of the first screen, in addition to the server's text. `ofFile`: the problem is the chosen file. */
  welcome: { problem?: Message; hint?: Message; ofFile?: boolean };
  /** Undefined until this device has begun a response. */
  response?: Response;
  /** The take that is being uploaded. Only one upload runs at a time. */
  take?: Take;
  /**
   * True when the server refused the take, or waits for bytes that this device no longer has. The take can be saved and
   * replaced, but not sent.
   */
  refused: boolean;
  progress?: Progress;
  /** True when the take was a file. */
  byFile: boolean;
  termsAccepted: boolean;
  /** True once the contributor has said that they sign. */
  signs: boolean;
  choice: Choice;
  /** True when the first screen offers another device or browser. */
  offerElsewhere: boolean;
  online: boolean;
}

export const initialState = (visit: Visit): State => ({
  visit,
  startup: 'starting',
  phase: { at: visit.active ? 'welcome' : 'refused' },
  welcome: { hint: lacksRecorder({ visit }) ? ['noRecorder'] : hintOf({ visit }) },
  refused: false,
  byFile: false,
  termsAccepted: false,
  signs: false,
  choice: { facing: 'user' },
  offerElsewhere: lacksRecorder({ visit }),
  online: true,
});

export function screenOf(phase: Phase): Screen {
  if (phase.at === 'opening' || phase.at === 'settling') return phase.over;
  if (phase.at === 'arrived') return 'done';
  if (phase.at === 'file') return phase.step === 'reading' ? 'sending' : phase.over;
  return phase.at;
}

/** Returns the first answer that has not landed. */
export const dueAnswer = ({ response }: State): Answer | undefined =>
  response?.answers.find(answer => answer.submissionId === null);

export const questionsOf = ({ response, visit }: Pick<State, 'response' | 'visit'>): readonly string[] =>
  response?.questions ?? visit.questions;

/** Returns the longest take in seconds. */
export const limitOf = ({ response, visit }: State): number => response?.maxDurationSec ?? visit.maxDurationSec;

/** Returns the ways to answer. */
export const modesOf = ({ response, visit }: Pick<State, 'response' | 'visit'>): readonly AnswerModeName[] =>
  response?.answerModes ?? visit.modes;

const takesRecordings = (state: Pick<State, 'response' | 'visit'>): boolean =>
  modesOf(state).some(mode => mode !== 'file');

/** Returns whether the contributor can record here. */
export const records = (state: Pick<State, 'response' | 'visit'>): boolean =>
  state.visit.canRecord && takesRecordings(state);

/** Returns whether only another browser or device could record. */
export const lacksRecorder = (state: Pick<State, 'response' | 'visit'>): boolean =>
  !state.visit.canRecord && takesRecordings(state);

/** Returns the devices to open; without a camera where only sound may be recorded. */
export const choiceOf = (state: State): Choice =>
  modesOf(state).includes('video') ? state.choice : { ...state.choice, audio: true };

/** Returns the positions of the questions whose answers have landed. */
export const answeredOf = ({ response, visit }: Pick<State, 'response' | 'visit'>): readonly number[] =>
  response?.answers.flatMap(({ questionIndex, submissionId }) => (submissionId ? [questionIndex ?? 0] : [])) ??
  visit.answered;

/** Returns the question of the next take; undefined outside interviews. */
export function questionOf(state: State): Question | undefined {
  const all = questionsOf(state);
  const index = nextQuestion(all.length, answeredOf(state));
  return all.length > 0 ? { number: index + 1, count: all.length, text: all[index] ?? '' } : undefined;
}

/** Returns the message about earlier answers; undefined when none has landed, or no question is left. */
export function hintOf(state: Pick<State, 'response' | 'visit'>): Message | undefined {
  const values = earlierAnswers(questionsOf(state).length, answeredOf(state));
  return values && ['earlierAnswers', values];
}

/** Returns the bytes of the whole take, even if this device has only a part. */
export const wholeSize = ({ size, recorded }: Take): number => Math.max(size, recorded);

/** Returns whether this device has only the beginning of a take, because the device was full. */
export const isPart = (take: Take): boolean => take.size < wholeSize(take);

/** Returns how much of the whole take the server has, in percent, rounded down. */
export function shareOf({ take, progress }: State): number {
  const whole = take ? wholeSize(take) : 0;
  return whole > 0 ? Math.floor((100 * Math.min(progress?.safe ?? 0, whole)) / whole) : 0;
}

const SHORTEST_TOLD_S = 5;

/** Returns the remaining seconds of the upload, in steps of five; undefined when unknown or very short. */
export function uploadSecondsOf({ take, progress }: State): number | undefined {
  if (!take || !progress?.pace || progress.trouble) return undefined;
  const seconds = (take.size - progress.safe) / progress.pace;
  return seconds < SHORTEST_TOLD_S ? undefined : Math.ceil(seconds / SHORTEST_TOLD_S) * SHORTEST_TOLD_S;
}

/** Returns the text about a recording that does not reach the server now; undefined when it reaches the server. */
export function offlineText({
  online,
  progress,
  visit,
}: Pick<State, 'online' | 'progress' | 'visit'>): Message | undefined {
  if (online && progress?.trouble !== 'network') return undefined;
  return [visit.inHand ? 'offlinePhone' : 'offlineDevice'];
}

/** Returns a take that was neither sent nor refused, as long as no other take replaces it. */
export const keptTake = ({ take, refused, phase }: State): Take | undefined => {
  const recording = phase.at === 'capture' && (phase.mode.is === 'recording' || phase.mode.is === 'paused');
  return take?.stopped && !take.sent && !refused && !recording ? take : undefined;
};
