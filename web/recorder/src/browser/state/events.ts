import type { AnswerModeName } from '@recording-request/contract/resources/fields';
import type { FileLook } from './file.ts';
import type { Choice, Devices, Message, Progress, Reading, RefusalCode, Response, State } from './state.ts';
import type { Take } from './take.ts';

export type CameraProblem = 'denied' | 'noCamera' | 'cameraBusy';

/**
 * The end of an upload. `gone`: another clip is the answer, or the link takes no more clips. `short`: this device has
 * fewer bytes than the declared length, so the server waits for bytes that do not exist. `unreadable`: the chosen file
 * was deleted or changed before the server had all of it, and this device has not stored the rest.
 */
export type End =
  | { kind: 'landed' }
  | { kind: 'incomplete' }
  | { kind: 'short' }
  | { kind: 'unreadable' }
  | { kind: 'refused' | 'gone'; code: RefusalCode | null };

/** An action of the contributor, or a report of an effect. */
export type Event =
  // The start of the visit.
  | { is: 'otherTab' }
  | { is: 'onlyTab' }
  | { is: 'leftTakes'; takes: readonly Take[]; responseSessionId?: string }
  | { is: 'serverUnreachable' }
  | { is: 'responseLoaded'; response?: Response; left?: readonly Take[] }
  // The first screen, and the way to another device.
  /** `audio`: the contributor records the sound alone. */
  | { is: 'start'; termsAccepted: boolean; audio?: boolean }
  | { is: 'chooseFile'; termsAccepted: boolean }
  | { is: 'termsChanged' }
  | { is: 'fileChosen'; name: string; type: string }
  | { is: 'fileLookedAt'; look: FileLook }
  | { is: 'fileStored'; take: Take }
  | { is: 'fileUnreadable'; take: Take }
  | { is: 'goElsewhere' }
  | { is: 'backFromElsewhere' }
  | { is: 'fileElsewhere'; termsAccepted: boolean }
  | { is: 'copyLink' }
  | { is: 'linkCopied'; copied: boolean }
  // Camera and recording.
  | { is: 'cameraOpened'; devices: Devices }
  | { is: 'cameraFailed'; problem: CameraProblem }
  | { is: 'cameraEnded' }
  | { is: 'deviceChosen'; kind: 'camera' | 'microphone'; id: string }
  | { is: 'flip' }
  | { is: 'record'; now: number }
  | { is: 'recordAnyway' }
  /** The contributor signs: from now on, silence is expected. */
  | { is: 'sign' }
  | { is: 'cancelCountdown' }
  | { is: 'tick'; now: number; reading: Reading; elapsed: number }
  | { is: 'claimed'; response: Response }
  | { is: 'claimRefused'; status: number }
  | { is: 'takeMade'; take: Take }
  | { is: 'pause' }
  | { is: 'resume' }
  | { is: 'stop' }
  | { is: 'recordingStopped'; take: Take }
  // Review and upload.
  | { is: 'previewFailed' }
  | { is: 'noteChanged'; note: string }
  | { is: 'send'; note: string }
  /** This event comes some seconds after Send. */
  | { is: 'sendIsSlow'; id: string }
  | { is: 'again' }
  | { is: 'progress'; take: Take; progress: Progress }
  | { is: 'uploadEnded'; take: Take; end: End }
  /** The tick of an answer was visible for a moment. */
  | { is: 'arrivalShown' }
  | { is: 'dialogClosed' }
  | { is: 'retry' }
  /** True if the link takes another response. */
  | { is: 'usesKnown'; left: boolean }
  | { is: 'another' }
  // Events of every screen.
  | { is: 'backToTake' }
  | { is: 'back' }
  | { is: 'connection'; online: boolean };

/** An action outside the state. Effects run in order and report by events. */
export type Effect =
  | { do: 'findLeftTakes' }
  /** `left`: the takes that `responseLoaded` repeats. `forget`: the landed take to delete first. */
  | { do: 'loadResponse'; id: string; left?: readonly Take[]; forget?: string }
  | { do: 'claim'; termsAccepted: boolean }
  | { do: 'askForUses' }
  /** Makes the next claim start another response. The takes of the previous response stay on the device. */
  | { do: 'forgetResponse' }
  | { do: 'openFileChooser'; capture: boolean }
  | { do: 'lookAtFile' }
  | { do: 'openCamera'; choice: Choice }
  | { do: 'closeCamera' }
  /** Discards the previous take, if any, here and on the server. */
  | {
      do: 'makeTake';
      before?: Take;
      responseSessionId: string;
      questionIndex: number | null;
      type?: string;
      note: string;
      answerMode: AnswerModeName;
      signed: boolean;
    }
  | { do: 'discardTake'; take: Take }
  | { do: 'forgetTake'; id: string }
  | { do: 'storeFile'; id: string }
  | { do: 'startRecording'; id: string }
  | { do: 'pauseRecording' }
  | { do: 'resumeRecording' }
  | { do: 'stopRecording' }
  | { do: 'startUpload'; id: string }
  | { do: 'keepNote'; id: string; note: string }
  | { do: 'sendTake'; id: string; note: string }
  /** Dispatches `sendIsSlow` after some seconds. */
  | { do: 'watchSending'; id: string }
  | { do: 'keepAwake'; on: boolean }
  | { do: 'openPreview'; take: Take }
  | { do: 'closePreview' }
  | { do: 'offerSave'; id: string }
  /** Dispatches `arrivalShown` after a moment. */
  | { do: 'holdArrival' }
  | { do: 'openDialog' }
  | { do: 'copyLink' }
  | { do: 'reload' }
  | { do: 'goToThankYou'; id: string }
  | { do: 'focus'; on: 'start' | 'startAudio' | 'chooseFile' | 'terms' | 'record' }
  /** Announces texts to a screen reader, in order; a string is read unchanged. */
  | { do: 'announce'; texts: readonly (Message | string)[] };

/** The runner of effects: one function for each kind. */
export type Run<Kind extends Effect['do']> = {
  [K in Kind]: (effect: Extract<Effect, { do: K }>) => unknown;
};

export interface Step {
  state: State;
  effects: Effect[];
}

export type On<Kind extends Event['is']> = {
  [K in Kind]: (state: State, event: Extract<Event, { is: K }>) => Step;
};
