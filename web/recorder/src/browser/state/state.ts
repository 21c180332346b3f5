import type { ContributorResponseJson } from '@recording-request/contract/resources/contributor-response';
import { earlierAnswers, nextQuestion } from '../../questions.ts';
import type { Take } from './take.ts';

// What the recorder knows and shows, as plain data: reduce.ts makes the next state of it, view/ shows it, effects/ acts.

/** One contributor's pass through the link. */
export type Response = ContributorResponseJson;
export type Answer = Response['answers'][number];
export type UploadState = Answer['uploads'][number];
/** Why the server refused a take; `too_large` before it took all of it. */
export type RefusalCode = NonNullable<UploadState['errorCode']> | 'too_large';

/** A text of the page by its key, with what fills its places. */
export type Message = readonly [key: string, values?: Record<string, string | number>];

/** What does not change during a visit: the link's project, the browser, the device. */
export interface Visit {
  active: boolean;
  questions: readonly string[];
  /** Positions of the questions that were answered before the page was opened, on any device. */
  answered: readonly number[];
  /** The link takes the responses of many contributors, or several of one. */
  shared: boolean;
  maxDurationSec: number;
  requireTerms: boolean;
  /** The owner wants a dialog after the last take. */
  successDialog: boolean;
  /** The browser can show a camera and record it. */
  canRecord: boolean;
  canPause: boolean;
  /** Held in the hand: its apps have browsers of their own, and a phone needs no QR code to a phone. */
  inHand: boolean;
  /** Where its permissions are changed. */
  platform: Platform;
}

export type Platform = 'Ios' | 'Android' | 'Desktop';

/** How far the upload of a take is. */
export interface Progress {
  /** Bytes that the server has acknowledged. */
  safe: number;
  /** The server knows that the take was sent. */
  declared: boolean;
  /** Every byte is there: the server is looking at it. */
  finishing: boolean;
  trouble: null | 'network' | 'busy';
  /** Bytes a second that the server has lately acknowledged; undefined until it has some. */
  pace?: number;
}

/** How a take was lost that can still be saved on the device. */
export type Loss = 'incomplete' | 'answered' | 'gone';

export interface Choice {
  camera?: string;
  microphone?: string;
  facing: 'user' | 'environment';
}

export interface Device {
  id: string;
  /** "" until the camera has been allowed. */
  label: string;
}

/** The camera and the microphone that are on, and what there is to choose from. */
export interface Devices {
  cameras: readonly Device[];
  microphones: readonly Device[];
  camera?: string;
  microphone?: string;
  facing?: string;
}

/** Picture and sound, as they were just now. */
export interface Reading {
  /** Sound level, 0 to 1 as an ear would judge it. */
  level: number;
  /** Since the camera was turned on, or the recording began. */
  heard: boolean;
  seen: boolean;
  watchedMs: number;
}

export type Mode =
  | { is: 'ready' }
  /** Record was pressed: picture and sound are looked at for a moment. */
  | { is: 'checking'; since: number }
  /** Held back, as nothing is heard or seen. */
  | { is: 'held'; why: 'silent' | 'black' }
  /** A use of the link is being claimed; the screen stays as it was. */
  | { is: 'claiming'; over: 'ready' | 'held'; why?: 'silent' | 'black' }
  | { is: 'countdown'; limit: number; seconds: number; since?: number }
  /** The take is being made. */
  | { is: 'starting'; limit: number }
  | { is: 'recording' | 'paused'; limit: number; elapsed: number; warned: readonly number[]; notice?: Message };

/** The camera's screen. */
export interface Capture {
  at: 'capture';
  mode: Mode;
  question?: Question;
  /** undefined while another camera is being turned on. */
  devices?: Devices;
  /** What to go back to where that fails. */
  before?: Choice;
  reading?: Reading;
  /** Said until the recording begins. */
  told?: Message;
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
  /** Saving is what matters now: otherwise it is the second choice. */
  saveFirst?: boolean;
}

/** What the contributor is looking at. */
export type Phase =
  | { at: 'refused' }
  | { at: 'welcome' }
  /** The camera is being turned on; what was shown before stays. */
  | { at: 'opening'; over: Screen }
  | Capture
  /** A file was chosen: it is looked at, a use is claimed, then the file is stored. */
  | { at: 'file'; step: 'looking' | 'claiming' | 'reading'; over: Screen; name: string; type: string }
  | Review
  /** `slow`: some seconds have gone by, so that it is said that nothing is sent yet. */
  | { at: 'sending'; slow?: true }
  /** The upload has ended, and the response is being read; what was shown before stays. */
  | { at: 'settling'; over: Screen; lost?: { take: Take; loss: Loss } }
  /** `another`: the link takes another response. */
  | { at: 'done'; text: Message; dialog: boolean; another?: true }
  | Problem
  | { at: 'elsewhere'; reason?: Message; copied?: boolean };

export type Screen = 'refused' | 'welcome' | 'capture' | 'review' | 'sending' | 'elsewhere' | 'done' | 'problem';

export interface State {
  readonly visit: Visit;
  /** `locked`: another tab has the link; `starting`: what an earlier visit left is being looked at. */
  startup: 'locked' | 'starting' | 'ready';
  phase: Phase;
  /** The message of the first screen, beside the text of the server. `ofFile`: the problem is the chosen file. */
  welcome: { problem?: Message; hint?: Message; ofFile?: boolean };
  /** undefined until this device has begun one. */
  response?: Response;
  /** The take whose upload runs. There is one at a time. */
  take?: Take;
  /** The server did not accept that take, or lacks what is no longer here: it can be saved and replaced, but not sent. */
  refused: boolean;
  progress?: Progress;
  /** The take was a file. */
  byFile: boolean;
  termsAccepted: boolean;
  choice: Choice;
  /** The way to another device or browser is offered on the first screen. */
  offerElsewhere: boolean;
  online: boolean;
}

export const initialState = (visit: Visit): State => ({
  visit,
  startup: 'starting',
  phase: { at: visit.active ? 'welcome' : 'refused' },
  welcome: { hint: visit.canRecord ? hintOf({ visit }) : ['noRecorder'] },
  refused: false,
  byFile: false,
  termsAccepted: false,
  choice: { facing: 'user' },
  offerElsewhere: !visit.canRecord,
  online: true,
});

export function screenOf(phase: Phase): Screen {
  if (phase.at === 'opening' || phase.at === 'settling') return phase.over;
  if (phase.at === 'file') return phase.step === 'reading' ? 'sending' : phase.over;
  return phase.at;
}

/** The answer that is due: the first that has not landed. */
export const dueAnswer = ({ response }: State): Answer | undefined =>
  response?.answers.find(answer => answer.submissionId === null);

export const questionsOf = ({ response, visit }: Pick<State, 'response' | 'visit'>): readonly string[] =>
  response?.questions ?? visit.questions;

/** Seconds that a take may last. */
export const limitOf = ({ response, visit }: State): number => response?.maxDurationSec ?? visit.maxDurationSec;

/** Positions of the questions whose answers have landed. */
export const answeredOf = ({ response, visit }: Pick<State, 'response' | 'visit'>): readonly number[] =>
  response?.answers.flatMap(({ questionIndex, submissionId }) => (submissionId ? [questionIndex ?? 0] : [])) ??
  visit.answered;

/** The question that the next take answers; undefined outside interviews. */
export function questionOf(state: State): Question | undefined {
  const all = questionsOf(state);
  const index = nextQuestion(all.length, answeredOf(state));
  return all.length > 0 ? { number: index + 1, count: all.length, text: all[index] ?? '' } : undefined;
}

/** Returns the line about answers that have landed while others are due; undefined where none have landed. */
export function hintOf(state: Pick<State, 'response' | 'visit'>): Message | undefined {
  const values = earlierAnswers(questionsOf(state).length, answeredOf(state));
  return values && ['earlierAnswers', values];
}

/** Bytes of the whole take, also where this device has not all of them. */
export const wholeSize = ({ size, recorded }: Take): number => Math.max(size, recorded);

/** Whether this device has only the beginning of a take, as it had no room for the rest. */
export const isPart = (take: Take): boolean => take.size < wholeSize(take);

/** Share of the whole take that the server has, in whole per cent, never rounded up. */
export function shareOf({ take, progress }: State): number {
  const whole = take ? wholeSize(take) : 0;
  return whole > 0 ? Math.floor((100 * Math.min(progress?.safe ?? 0, whole)) / whole) : 0;
}

const SHORTEST_TOLD_S = 5;

/** Seconds that the upload still takes, in steps of five; undefined where that is not known, or hardly any. */
export function uploadSecondsOf({ take, progress }: State): number | undefined {
  if (!take || !progress?.pace || progress.trouble) return undefined;
  const seconds = (take.size - progress.safe) / progress.pace;
  return seconds < SHORTEST_TOLD_S ? undefined : Math.ceil(seconds / SHORTEST_TOLD_S) * SHORTEST_TOLD_S;
}

/** What is said of a recording that the server does not get at the moment; undefined where it does. */
export function offlineText({
  online,
  progress,
  visit,
}: Pick<State, 'online' | 'progress' | 'visit'>): Message | undefined {
  if (online && progress?.trouble !== 'network') return undefined;
  return [visit.inHand ? 'offlinePhone' : 'offlineDevice'];
}

/** A take that was neither sent nor refused: what is to replace it is not recorded yet. */
export const keptTake = ({ take, refused, phase }: State): Take | undefined => {
  const recording = phase.at === 'capture' && (phase.mode.is === 'recording' || phase.mode.is === 'paused');
  return take?.stopped && !take.sent && !refused && !recording ? take : undefined;
};
