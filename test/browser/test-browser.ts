import { spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { CLIPS, testClip } from '@recording-request/testing/clip';
import { startTestSystem, type TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The text that the fake camera speaks in a loop, and the words in it that a small speech model recognizes. */
export const SPOKEN = 'the weather is good today and we want to go to the house';
export const HEARD = ['good', 'today', 'want', 'go'];
const LIMIT_MS = 30_000;

export interface Submission {
  submissionId: string;
  sha256: string;
  durationSec: number;
  fileSize: number;
  mimeType: string | null;
  note: string | null;
  questionIndex: number | null;
  incomplete: boolean;
  transcriptStatus: string | null;
  transcriptText: string | null;
  termsAccepted: boolean;
}

export interface Project {
  projectId: string;
  /** The URLs of the unique links. */
  urls: string[];
  sharedUrl: string;
  /** The URL of the private dashboard. */
  dashboardUrl: string;
}

/**
 * The input of the fake camera and microphone. `cameras`: two cameras with Chromium's own pictures. `none`: no camera.
 * `portrait`: a person, for screenshots.
 */
export type FakeDevice = 'speech' | 'silence' | 'dark' | 'portrait' | 'cameras' | 'none';

export interface TestBrowser extends AsyncDisposable {
  system: TestSystem;
  browser(device?: FakeDevice): Promise<Browser>;
  /** Creates a context in English that may use camera and microphone. */
  context(options?: BrowserContextOptions & { device?: FakeDevice }): Promise<BrowserContext>;
  page(options?: BrowserContextOptions & { device?: FakeDevice }): Promise<Page>;
  /** Creates a project of the harness's owner. */
  project(fields?: Record<string, unknown>): Promise<Project>;
  /** Makes a video of `seconds`, as a phone's camera app records it. Returns its path. */
  clip(seconds: number): Promise<string>;
  submissions(project: Project): Promise<Submission[]>;
  links(project: Project): Promise<Record<string, unknown>[]>;
  sharedLink(project: Project): Promise<Record<string, unknown>>;
  /** Sends an API request as the owner. Rejects when it fails. */
  api(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Creates an API token of the owner with exactly these scopes. */
  tokenWith(scopes: string[]): Promise<string>;
}

/** Starts the six services, and Chromium with a fake camera that plays a real clip. */
export async function startTestBrowser(env: Record<string, string> = {}): Promise<TestBrowser> {
  await using starting = new AsyncDisposableStack();
  const system = starting.use(
    await startTestSystem({ restartable: true, logLevel: 'warn', env: { KAFKA_PARTITIONS: '1', ...env } }),
  );
  const owner = await system.newOwner('First owner');
  const browsers = new Map<FakeDevice, Promise<Browser>>();
  starting.defer(async () => {
    for (const browser of browsers.values()) await (await browser).close();
  });
  const api = async (method: string, path: string, json?: unknown): Promise<Record<string, unknown>> => {
    const answer = await owner.ask(path, { method, json });
    if (answer.status >= 300) throw new Error(`${answer.what}: ${answer.text()}`);
    return answer.json();
  };
  const harness: Omit<TestBrowser, typeof Symbol.asyncDispose> = {
    system,
    api,
    tokenWith: async scopes => (await system.accounts.createToken(owner.userId, { scopes })).secret,
    browser(device = 'speech') {
      if (!browsers.has(device)) browsers.set(device, launch(device));
      return browsers.get(device)!;
    },
    async context({ device, ...options } = {}) {
      const browser = await harness.browser(device);
      const context = await browser.newContext({
        locale: 'en-GB',
        permissions: ['camera', 'microphone', 'clipboard-read', 'clipboard-write'],
        ...options,
      });
      context.setDefaultTimeout(LIMIT_MS);
      return context;
    },
    page: async options => (await harness.context(options)).newPage(),
    async project(fields = {}) {
      const made = await owner.createProject({ projectName: 'Stories', count: 1, neverExpire: true, ...fields });
      return {
        projectId: made.projectId,
        urls: made.recipientUrls.map(({ recipientUrl }) => recipientUrl),
        sharedUrl: made.sharedLink?.recipientUrl ?? '',
        dashboardUrl: made.dashboardUrl,
      };
    },
    clip: async seconds => (await testClip({ text: SPOKEN, container: 'mp4', mp4: 'moov-at-end', seconds })).path,
    submissions: async ({ projectId }) =>
      (await api('GET', `/api/projects/${projectId}/submissions`)).submissions as Submission[],
    links: async ({ projectId }) =>
      (await api('GET', `/api/projects/${projectId}/links`)).recipientUrls as Record<string, unknown>[],
    sharedLink: async ({ projectId }) =>
      (await api('GET', `/api/projects/${projectId}/links`)).sharedLink as Record<string, unknown>,
  };
  const started = starting.move();
  return { ...harness, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function launch(device: FakeDevice): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: await deviceArguments(device) });
}

export const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Returns Chromium's arguments for the device's camera and microphone. */
export async function deviceArguments(device: FakeDevice): Promise<string[]> {
  const { picture, sound } = await deviceFiles(device);
  const cameras = { cameras: '=device-count=2', none: '=device-count=0' }[device as string] ?? '';
  return [
    '--no-sandbox',
    '--use-fake-ui-for-media-stream',
    `--use-fake-device-for-media-stream${cameras}`,
    ...(cameras ? [] : [`--use-file-for-fake-video-capture=${picture}`]),
    `--use-file-for-fake-audio-capture=${sound}`,
    '--autoplay-policy=no-user-gesture-required',
  ];
}

// Draws a person in front of a wall in few colours, because git keeps the screenshots.
const PORTRAIT = [
  'drawbox=color=0xcfd8dc:t=fill',
  "geq=lum='if(lt(hypot((X-W/2)/0.8,Y-H*0.42),H*0.17),190,if(lt(hypot((X-W/2)/1.25,Y-H*1.08),H*0.46),86,lum(X,Y)))':cb='if(lt(hypot((X-W/2)/0.8,Y-H*0.42),H*0.17),108,if(lt(hypot((X-W/2)/1.25,Y-H*1.08),H*0.46),142,cb(X,Y)))':cr='if(lt(hypot((X-W/2)/0.8,Y-H*0.42),H*0.17),148,if(lt(hypot((X-W/2)/1.25,Y-H*1.08),H*0.46),112,cr(X,Y)))'",
].join(',');
const PICTURES: Partial<Record<FakeDevice, string[]>> = {
  dark: ['-vf', 'drawbox=color=black:t=fill'],
  silence: ['-t', '1', '-vf', `fps=5,${PORTRAIT}`],
  portrait: ['-t', '1', '-vf', `fps=5,${PORTRAIT}`],
};

/** Returns the picture and the sound for Chromium's fake devices. Makes them once per machine. */
async function deviceFiles(device: FakeDevice): Promise<{ picture: string; sound: string }> {
  await mkdir(CLIPS, { recursive: true });
  const clip = await testClip({ text: SPOKEN, container: 'webm', frameRate: 15 });
  const picture = `${clip.path}.${PICTURES[device] ? device : 'bright'}.y4m`;
  const sound = `${clip.path}.${device === 'silence' ? 'silence' : 'speech'}.wav`;
  const mute = device === 'silence' ? ['-af', 'volume=0'] : [];
  if (!existsSync(picture))
    ffmpeg(
      ['-i', clip.path, '-an', ...(PICTURES[device] ?? ['-r', '10']), '-pix_fmt', 'yuv420p', '-f', 'yuv4mpegpipe'],
      picture,
    );
  if (!existsSync(sound)) ffmpeg(['-i', clip.path, '-vn', ...mute, '-ar', '48000', '-ac', '1', '-f', 'wav'], sound);
  return { picture, sound };
}

function ffmpeg(args: string[], output: string): void {
  // Writes to a temporary name and renames the complete file, because several test files may make it at once.
  const making = `${output}.${process.pid}`;
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, making]);
  if (status !== 0) throw new Error(`ffmpeg: ${stderr}`);
  renameSync(making, output);
}

/** Waits until at least `count` submissions have landed. Returns the submissions. */
export function landed(harness: Pick<TestBrowser, 'submissions'>, project: Project, count = 1): Promise<Submission[]> {
  return until(
    `${count} landed`,
    async () => {
      // Ignores errors, because a test may have just killed the gateway.
      const found = await harness.submissions(project).catch(() => []);
      return found.length >= count && found;
    },
    { limitMs: LIMIT_MS },
  );
}
