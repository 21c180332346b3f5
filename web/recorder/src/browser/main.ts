import { type Answer, type Response, reportFirstTouch } from './api.ts';
import { begin, loadResponse, termsMissing } from './begin.ts';
import { type CameraProblem, canRecord } from './camera.ts';
import { newId, onlyTab, remembered } from './device-memory.ts';
import { inHand, showElsewhere, wireElsewhere } from './elsewhere.ts';
import { goToThankYou, showDone, showProblem, showSending, successDialog, wireEndings } from './endings.ts';
import { forgetIfSafe, type Loss, leftTakes, lossOf } from './left-takes.ts';
import { base, byId, foldPopups, onClick, settings, show, tell, words } from './page.ts';
import { recordingType } from './recording.ts';
import { beginProblem, refusedText } from './refusals.ts';
import { closeReview, shareOf, showReview, tellReview, wireReview } from './review.ts';
import { openSpool, type Spool } from './spool.ts';
import { enterStage, leaveStage, tellSafe, wireStage } from './stage.ts';
import { newTake, type Take } from './take.ts';
import { endUpload } from './tus.ts';
import { type End, type Progress, startUploader, type Uploader } from './uploader.ts';
import { keepAwake } from './wake-lock.ts';

// One contributor's visit: welcome → stage → review → sending, for each question, with one take at a time.

const FILE_PIECE = 4 * 1024 * 1024;

let spool: Spool;
let response: Response | undefined;
let take: Take | undefined;
let uploader: Uploader | undefined;
let progress: Progress | undefined;
let reviewing: { notice: string } | undefined;
let byFile = false;

/** The answer that is due: the first that has not landed. */
const due = (): Answer | undefined => response?.answers.find(answer => answer.submissionId === null);
const questions = (): string[] => response?.questions ?? settings.questions;
const limit = (): number => response?.maxDurationSec ?? settings.maxDurationSec;

function questionNow(): { number: number; count: number; text: string } | undefined {
  const all = questions();
  const index = due()?.questionIndex ?? 0;
  return all.length > 0 ? { number: index + 1, count: all.length, text: all[index] ?? '' } : undefined;
}

function showWelcome(): void {
  const question = questionNow();
  const goesOn = question && question.number > 1;
  tell('welcome-back', goesOn ? words('welcomeBack', { ...question }) : '');
  if (response) document.getElementById('terms-box')?.remove();
  show('welcome');
}

/** Resolves to false, having said why, where the terms are still to be accepted. */
function mayStart(): boolean {
  const accepted = response !== undefined || !termsMissing();
  tell('welcome-problem', accepted ? '' : words('termsMissing'));
  if (!accepted) byId('terms').focus();
  return accepted;
}

async function start(): Promise<void> {
  if (!mayStart()) return;
  if (!canRecord()) return chooseFile(true);
  const button = byId<HTMLButtonElement>('start');
  const label = button.textContent;
  button.disabled = true;
  button.textContent = words('opening');
  try {
    byFile = false;
    await openStage();
  } catch (problem) {
    cameraFailed(problem as CameraProblem);
  } finally {
    button.disabled = false;
    button.textContent = label;
  }
}

const openStage = (): Promise<void> =>
  enterStage({
    question: questionNow(),
    claim: async () => ((await claimed()) ? limit() : undefined),
    makeTake: () => makeTake(recordingType() ?? ''),
    recorded: (made, notice) => void recorded(made, notice),
    failed: cameraFailed,
  });

function cameraFailed(problem: CameraProblem): void {
  const known = typeof problem === 'string' ? problem : 'noCamera';
  if (known === 'noCamera') {
    showElsewhere(inHand() ? '' : words('noCamera'));
    return;
  }
  byId('elsewhere').hidden = false;
  backToWelcome(words(known));
}

function backToWelcome(problem: string): void {
  showWelcome();
  tell('welcome-problem', problem);
  byId('start').focus();
}

/** An empty take is not worth looking at: some devices give one where another app has the camera. */
async function recorded(made: Take, notice: string): Promise<void> {
  if (made.size > 0) return review(made, notice);
  await discard();
  backToWelcome(words('nothingRecorded'));
}

/** Claims the use of the link, which is what starting to record means. False where it was refused, and told. */
async function claimed(): Promise<boolean> {
  try {
    response = await begin();
  } catch (error) {
    const { text, next } = beginProblem(error);
    leaveStage();
    const act = next === 'reload' ? () => location.reload() : showWelcome;
    showProblem({ title: 'cannotBegin', text, retry: next && { label: words('tryAgain'), act }, take });
    return false;
  }
  if (!response.complete) return true;
  leaveStage();
  showDone(words('alreadyDone'));
  return false;
}

/** A new take takes the place of the one before, here and on the server, and its upload begins at once. */
async function makeTake(type: string): Promise<Take> {
  await discard();
  const made = await newTake(spool, {
    id: newId(),
    link: base,
    responseSessionId: response?.responseSessionId ?? '',
    questionIndex: due()?.questionIndex ?? null,
    startedAt: Date.now(),
    type,
    durationMs: 0,
    stopped: false,
    sent: false,
    note: '',
    uploadUrl: null,
    heard: true,
    seen: true,
  });
  upload(made);
  return made;
}

async function discard(): Promise<void> {
  uploader?.stop();
  if (!take) return;
  if (take.record.uploadUrl) endUpload(take.record.uploadUrl);
  await take.forget();
  take = undefined;
}

function upload(made: Take): void {
  uploader?.stop();
  take = made;
  progress = undefined;
  uploader = startUploader(
    made,
    now => {
      progress = { ...now };
      if (made.record.sent) showSending(progress, made.size);
      else if (reviewing) tellReview(now, made.size, reviewing.notice);
      else tellSafe(shareOf(now, made.size));
    },
    end => void ended(made, end),
  );
}

function review(made: Take, notice: string): void {
  // What became of it may be known already: another device was faster.
  if (made !== take) return;
  reviewing = { notice };
  const question = questions()[made.record.questionIndex ?? -1] ?? '';
  showReview(made, { notice, limit: limit(), question }, { send: note => send(made, note), again });
  if (progress) tellReview(progress, made.size, notice);
}

async function send(made: Take, note: string): Promise<void> {
  reviewing = undefined;
  closeReview();
  showSending(progress, made.size);
  keepAwake(true);
  await made.update({ sent: true, note });
  uploader?.wake();
}

async function again(): Promise<void> {
  reviewing = undefined;
  closeReview();
  if (byFile || !canRecord()) return showWelcome();
  await openStage().catch(cameraFailed);
}

async function ended(made: Take, end: End): Promise<void> {
  keepAwake(false);
  uploader = undefined;
  reviewing = undefined;
  closeReview();
  leaveStage();
  if (end.kind === 'landed') return landed(made);
  if (end.kind === 'refused') {
    const retry = { label: words('tryAgain'), act: () => void again() };
    return showProblem({ title: 'refusedTitle', text: refusedText(end.code, limit()), retry, take: made });
  }
  await goOnAfterLoss(made, end.kind === 'incomplete' ? 'incomplete' : end.code === 'answered' ? 'answered' : 'gone');
}

const LOSSES: Record<Loss, { title: string; text: string }> = {
  incomplete: { title: 'incompleteTitle', text: 'incompleteText' },
  answered: { title: 'goneTitle', text: 'goneAnswered' },
  gone: { title: 'goneTitle', text: 'goneText' },
};

/** The take stays on the device and can be saved; the next question can still be answered. */
async function goOnAfterLoss(lost: Take, loss: Loss): Promise<void> {
  response = (await loadResponse(lost.record.responseSessionId, () => {})) ?? response;
  const more = due() !== undefined && questions().length > 0 && due()?.questionIndex !== lost.record.questionIndex;
  take = undefined;
  const retry = more ? { label: words('goOn'), act: showWelcome } : undefined;
  const { title, text } = LOSSES[loss];
  showProblem({ title, text: words(text), retry, take: lost, saveFirst: true });
}

async function landed(made: Take): Promise<void> {
  await made.forget();
  take = undefined;
  response = (await loadResponse(made.record.responseSessionId, () => {})) ?? response;
  if (response?.complete !== false) {
    if (settings.successDialog !== null) showDone(words('doneText'));
    await successDialog();
    return questions().length > 0 ? goToThankYou() : showDone(words('doneText'));
  }
  if (byFile || !canRecord()) return showWelcome();
  await openStage().catch(cameraFailed);
}

async function fileChosen(): Promise<void> {
  const input = byId<HTMLInputElement>('file');
  const file = input.files?.[0];
  input.value = '';
  if (!file) return;
  // Nothing takes the place of nothing: a take from before stays.
  if (file.size === 0) return backToWelcome(words('nothingRecorded'));
  if (!(await claimed())) return;
  byFile = true;
  const made = await makeTake(file.type || (/\.mov$/i.test(file.name) ? 'video/quicktime' : ''));
  showSending(undefined, file.size);
  byId('sending-title').textContent = words('checking');
  byId('sending-text').textContent = '';
  for (let at = 0; at < file.size; at += FILE_PIECE) await made.append(file.slice(at, at + FILE_PIECE));
  await made.update({ stopped: true });
  review(made, '');
}

/** From the camera app, where there is one, or from what is on the device. */
function chooseFile(capture: boolean): void {
  const file = byId<HTMLInputElement>('file');
  if (capture) file.setAttribute('capture', 'user');
  else file.removeAttribute('capture');
  file.click();
}

function wireWelcome(): void {
  onClick('start', start);
  onClick('choose-file', () => mayStart() && chooseFile(false));
  byId('file').addEventListener('change', () => void fileChosen());
  wireElsewhere({
    chooseFile(capture) {
      showWelcome();
      if (mayStart()) chooseFile(capture);
    },
    retry: showWelcome,
  });
  document.getElementById('terms')?.addEventListener('change', () => tell('welcome-problem', ''));
  if (canRecord()) return;
  byId('start').textContent = words('startFile');
  byId('elsewhere').hidden = false;
  tell('welcome-back', words('noRecorder'));
}

/** Goes on where an earlier visit stopped, by itself. */
async function resume(): Promise<void> {
  const takes = await leftTakes(spool);
  const id = takes[0]?.record.responseSessionId ?? remembered()?.responseSessionId;
  if (!id) return;
  response = await loadResponse(id, () => tell('welcome-problem', words('noConnection')));
  tell('welcome-problem', '');
  const open = takes.find(({ record }) => record.questionIndex === due()?.questionIndex);
  const lost: Take[] = [];
  for (const one of takes) if (one !== open && !(await forgetIfSafe(one, response))) lost.push(one);
  if (open && response) return resumeTake(open);
  if (lost[0]) return goOnAfterLoss(lost[0], lossOf(lost[0], response));
  if (response?.complete) return showDone(words('alreadyDone'));
  if (response) showWelcome();
}

async function resumeTake(left: Take): Promise<void> {
  const interrupted = !left.record.stopped;
  if (interrupted) await left.update({ stopped: true });
  upload(left);
  if (!left.record.sent) return review(left, words('keptTake'));
  keepAwake(true);
  showSending(undefined, left.size);
}

async function boot(): Promise<void> {
  reportFirstTouch();
  foldPopups();
  wireWelcome();
  wireStage();
  wireReview();
  wireEndings();
  await onlyTab(() => {
    tell('welcome-problem', words('otherTab'));
    byId<HTMLButtonElement>('start').disabled = true;
    byId<HTMLButtonElement>('choose-file').disabled = true;
  });
  byId<HTMLButtonElement>('start').disabled = false;
  byId<HTMLButtonElement>('choose-file').disabled = false;
  tell('welcome-problem', '');
  spool = await openSpool();
  await resume();
  document.documentElement.dataset.ready = 'true';
}

void boot();
