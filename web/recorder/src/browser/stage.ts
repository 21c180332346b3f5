import { clock } from '@recording-request/web-shared/clock';
import { type Camera, type CameraProblem, type Choice, closeCamera, openCamera } from './camera.ts';
import { listDevices, onChoice } from './devices.ts';
import { announce, byId, onClick, pause, show, words } from './page.ts';
import { type Recording, record } from './recording.ts';
import type { Take } from './take.ts';
import { keepAwake } from './wake-lock.ts';
import { type Watch, watchStream } from './watch.ts';

/** What the stage is opened for. */
export interface StagePlan {
  question?: { number: number; count: number; text: string };
  /** Claims the use; resolves to the longest take in seconds, or to undefined where another screen was shown. */
  claim(): Promise<number | undefined>;
  makeTake(): Promise<Take>;
  recorded(take: Take, notice: string): void;
  failed(problem: CameraProblem): void;
}

type Mode = 'ready' | 'held' | 'countdown' | 'recording' | 'paused';

const TICK_MS = 100;
const CHECK_MS = 1_200;
const CHECK_LIMIT_MS = 4_000;
const COUNT_FROM = 3;
const WARN_AT_SECONDS = [30, 10];

const choice: Choice = { facing: 'user' };
let plan: StagePlan;
let camera: Camera | undefined;
let watch: Watch | undefined;
let mode: Mode = 'ready';
let ticker: number | undefined;
let running: { recording: Recording; take: Take; limit: number; notice: string; warned: Set<number> } | undefined;
// Counts up when a check or a countdown is called off.
let attempt = 0;
// Counts up when another camera is asked for, or none any more.
let asked = 0;

const FOCUS: Record<Mode, string> = {
  ready: 'record',
  held: 'anyway',
  countdown: 'cancel-countdown',
  recording: 'stop',
  paused: 'resume',
};

function setMode(next: Mode): void {
  mode = next;
  const stage = byId('screen-stage');
  stage.dataset.mode = next;
  for (const element of stage.querySelectorAll<HTMLElement>('[data-for]')) {
    if (element.id !== 'flip') element.hidden = !element.dataset.for?.split(' ').includes(next);
  }
  if (next === 'recording' || next === 'paused') {
    byId('rec-word').textContent = words(next);
    if (running?.recording.canPause === false) byId('pause').hidden = true;
    byId('flip').hidden = true;
  }
  byId<HTMLButtonElement>('record').disabled = false;
  show('stage', byId(FOCUS[next]));
}

const readyText = (key: string) => {
  const element = byId('ready-text');
  const text = words(key);
  if (element.textContent !== text) element.textContent = text;
};

/** Turns the camera on and shows the stage. Rejects with a CameraProblem and stays where it is. */
export async function enterStage(next: StagePlan): Promise<void> {
  plan = next;
  if (!(await useCamera())) return;
  const { question } = next;
  document.querySelector('.stage-top')?.classList.toggle('asked', question !== undefined);
  byId('stage-count').textContent = question ? words('question', { ...question }) : '';
  byId('stage-question').textContent = question?.text ?? '';
  setMode('ready');
  if (question) announce(`${words('question', { ...question })}. ${question.text}`);
  ticker ??= window.setInterval(tick, TICK_MS);
}

/** Resolves to false where the stage moved on meanwhile: to another camera, or to none. */
async function useCamera(): Promise<boolean> {
  const mine = ++asked;
  const live = byId<HTMLVideoElement>('live');
  // First off, then on: many a phone has only one camera on at a time.
  watch?.stop();
  watch = undefined;
  closeCamera(camera);
  // What was said of the camera before is not known of this one.
  byId('ready-text').textContent = '';
  camera = undefined;
  const opened = await openCamera(choice).catch((problem): undefined => {
    if (mine === asked) throw problem;
  });
  if (!opened || mine !== asked) {
    closeCamera(opened);
    return false;
  }
  camera = opened;
  live.srcObject = opened.stream;
  live.classList.toggle('mirrored', opened.mirrored);
  void live.play().catch(() => {});
  watch = watchStream(opened.stream, live);
  for (const track of opened.stream.getTracks()) track.onended = cameraEnded;
  await listDevices(opened.stream).catch(() => {});
  return mine === asked;
}

/** Turns the camera off. */
export function leaveStage(): void {
  attempt += 1;
  asked += 1;
  window.clearInterval(ticker);
  ticker = undefined;
  watch?.stop();
  watch = undefined;
  closeCamera(camera);
  camera = undefined;
  byId<HTMLVideoElement>('live').srcObject = null;
}

function cameraEnded(): void {
  if (running) {
    running.notice ||= words('cameraEnded');
    void running.recording.stop();
    return;
  }
  leaveStage();
  plan.failed('cameraBusy');
}

async function changeDevice(before: Choice): Promise<void> {
  attempt += 1;
  try {
    const changed = await useCamera().catch(() => {
      // The one before works.
      choose(before);
      return useCamera();
    });
    if (changed) setMode('ready');
  } catch (problem) {
    choose({ facing: 'user' });
    leaveStage();
    plan.failed(problem as CameraProblem);
  }
}

function choose(other: Choice): void {
  delete choice.camera;
  delete choice.microphone;
  Object.assign(choice, other);
}

function tick(): void {
  if (running) tickRecording();
  else tickReady();
}

function tickReady(): void {
  if (!watch || (mode !== 'ready' && mode !== 'held')) return;
  const level = Math.round(watch.level() * 100);
  byId('level-bar').style.transform = `scaleX(${level / 100})`;
  byId('level').setAttribute('aria-valuenow', String(level));
  const good = watch.heard() && watch.seen();
  if (mode === 'held') {
    if (!good) return;
    setMode('ready');
    announce(words('heard'));
  }
  if (!byId<HTMLButtonElement>('record').disabled) readyText(good ? 'heard' : 'hint');
}

async function pressRecord(): Promise<void> {
  const mine = ++attempt;
  byId<HTMLButtonElement>('record').disabled = true;
  readyText('checking');
  const until = performance.now() + CHECK_LIMIT_MS;
  const settled = () => {
    if (!watch || (watch.heard() && watch.seen())) return true;
    return watch.watchedMs() > CHECK_MS && performance.now() > until - CHECK_LIMIT_MS + CHECK_MS;
  };
  while (!settled() && performance.now() < until) await pause(TICK_MS);
  if (mine !== attempt || !watch) return;
  if (watch.heard() && watch.seen()) return countDown();
  const why = watch.seen() ? 'silent' : 'black';
  setMode('held');
  readyText(why);
  announce(words(why));
}

async function countDown(): Promise<void> {
  const mine = ++attempt;
  byId<HTMLButtonElement>('record').disabled = true;
  const limit = await plan.claim();
  if (mine !== attempt || !camera) return;
  if (limit === undefined) return leaveStage();
  setMode('countdown');
  announce(words('starts', { seconds: COUNT_FROM }));
  for (let seconds = COUNT_FROM; seconds > 0; seconds--) {
    byId('countdown').textContent = String(seconds);
    await pause(1_000);
    if (mine !== attempt || !camera) return;
  }
  await startRecording(limit);
}

async function startRecording(limit: number): Promise<void> {
  const take = await plan.makeTake();
  if (!camera) return;
  watch?.reset();
  keepAwake(true);
  running = { recording: record(camera.stream, take, ended), take, limit, notice: '', warned: new Set() };
  setMode('recording');
  tickRecording();
  announce(`${words('recording')}. ${words('left', { time: clock(limit) })}`);
}

function tickRecording(): void {
  if (!running) return;
  const { recording, limit, warned } = running;
  const elapsed = recording.elapsedMs() / 1_000;
  byId('elapsed').textContent = clock(elapsed);
  const left = Math.ceil(limit - elapsed);
  byId('left').textContent = words('left', { time: clock(left) });
  for (const seconds of WARN_AT_SECONDS) {
    if (left > seconds || limit <= seconds || warned.has(seconds)) continue;
    warned.add(seconds);
    announce(words('secondsLeft', { seconds }));
  }
  if (elapsed < limit) return;
  running.notice ||= words('limitReached');
  void recording.stop();
}

async function ended(): Promise<void> {
  if (!running) return;
  const { take, notice } = running;
  running = undefined;
  keepAwake(false);
  await take.update({ heard: watch?.heard() ?? true, seen: watch?.seen() ?? true });
  leaveStage();
  plan.recorded(take, notice);
}

/** Tells on the stage how much is safe. */
export function tellSafe(share: number): void {
  byId('rec-safe').textContent = running ? words('safe', { share }) : '';
}

export function wireStage(): void {
  onChoice(
    choice,
    () => camera?.stream.getVideoTracks()[0],
    before => void changeDevice(before),
  );
  onClick('record', pressRecord);
  onClick('anyway', countDown);
  onClick('cancel-countdown', () => {
    attempt += 1;
    setMode('ready');
  });
  onClick('stop', () => running?.recording.stop());
  onClick('pause', () => {
    running?.recording.pause();
    setMode('paused');
    announce(words('paused'));
  });
  onClick('resume', () => {
    running?.recording.resume();
    setMode('recording');
    announce(words('recording'));
  });
  // Leaving in the middle of a take is hardly ever meant; what was recorded is kept all the same.
  addEventListener('beforeunload', event => {
    if (running) event.preventDefault();
  });
}
