import { spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClip } from '@recording-request/fixtures/clip';
import { type Cluster, startCluster } from '@recording-request/stack/cluster';
import { provision } from '@recording-request/stack/provision';
import { waitFor } from '@recording-request/stack/wait';
import { testEnvironment } from '@recording-request/testing/environment';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** What the fake camera says, over and over; and words of it that a recognizer with a small model gets. */
export const SPOKEN = 'the weather is good today and we want to go to the house';
export const HEARD = ['good', 'today', 'want', 'go'];
const LIMIT_MS = 30_000;
const CLIPS = join(tmpdir(), 'recording-request-clips');

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
  /** Of the unique links. */
  urls: string[];
  sharedUrl: string;
  /** The private dashboard. */
  dashboardUrl: string;
}

/**
 * What the fake camera and microphone deliver. `cameras` has two of them with pictures of Chromium's own, `none` has none;
 * `portrait` is for pictures of the pages.
 */
export type Scene = 'speech' | 'silence' | 'dark' | 'portrait' | 'cameras' | 'none';

export interface Bench extends AsyncDisposable {
  cluster: Cluster;
  /** The name of each service's database begins with it. */
  databasePrefix: string;
  browser(scene?: Scene): Promise<Browser>;
  /** A context with camera and microphone allowed, in English. */
  context(options?: BrowserContextOptions & { scene?: Scene }): Promise<BrowserContext>;
  page(options?: BrowserContextOptions & { scene?: Scene }): Promise<Page>;
  project(fields?: Record<string, unknown>): Promise<Project>;
  /** A file as a phone's camera app gives it, of so many seconds. */
  clip(seconds: number): Promise<string>;
  submissions(project: Project): Promise<Submission[]>;
  links(project: Project): Promise<Record<string, unknown>[]>;
  api(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  sharedLink(project: Project): Promise<Record<string, unknown>>;
  /** What the services have logged so far. */
  logs(): Promise<string>;
}

/** The six services on the shared servers, and Chromium with a fake camera that shows and says a real clip. */
export async function openBench(env: Record<string, string> = {}): Promise<Bench> {
  const room = testEnvironment();
  await using starting = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'browser-test-'));
  starting.defer(() => rm(dataDir, { recursive: true, force: true }));
  const cluster = starting.use(
    await startCluster({
      servers: { env: {} },
      dataDir,
      restart: true,
      kafkaTopicPrefix: `${room.name}.`,
      mongoDatabasePrefix: `${room.name}_`,
      s3Bucket: room.name,
      logLevel: 'warn',
      env: { KAFKA_PARTITIONS: '1', RATE_LIMIT_ADDRESS_PER_MINUTE: '100000', EVENT_LOOP_DELAY_LIMIT_MS: '0', ...env },
      log: () => {},
    }),
  );
  const { apiToken } = await provision(cluster);
  const browsers = new Map<Scene, Promise<Browser>>();
  starting.defer(async () => {
    for (const browser of browsers.values()) await (await browser).close();
  });
  const api = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${cluster.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiToken}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const json = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
    return json;
  };
  const bench: Omit<Bench, typeof Symbol.asyncDispose> = {
    cluster,
    databasePrefix: `${room.name}_`,
    api,
    browser(scene = 'speech') {
      if (!browsers.has(scene)) browsers.set(scene, launch(scene));
      return browsers.get(scene)!;
    },
    async context({ scene, ...options } = {}) {
      const browser = await bench.browser(scene);
      const context = await browser.newContext({
        locale: 'en-GB',
        permissions: ['camera', 'microphone', 'clipboard-read', 'clipboard-write'],
        ...options,
      });
      context.setDefaultTimeout(LIMIT_MS);
      return context;
    },
    page: async options => (await bench.context(options)).newPage(),
    async project(fields = {}) {
      const made = await api('POST', '/api/projects', {
        projectName: 'Stories',
        count: 1,
        neverExpire: true,
        ...fields,
      });
      const links = made.recipientUrls as { recipientUrl: string }[];
      return {
        projectId: made.projectId as string,
        urls: links.map(({ recipientUrl }) => recipientUrl),
        sharedUrl: (made.sharedLink as { recipientUrl: string } | null)?.recipientUrl ?? '',
        dashboardUrl: made.dashboardUrl as string,
      };
    },
    async clip(seconds) {
      return (await makeClip({ dir: CLIPS, text: SPOKEN, container: 'mp4', mp4: 'moov-at-end', seconds })).path;
    },
    submissions: async ({ projectId }) =>
      (await api('GET', `/api/projects/${projectId}/submissions`)).submissions as Submission[],
    links: async ({ projectId }) =>
      (await api('GET', `/api/projects/${projectId}/links`)).recipientUrls as Record<string, unknown>[],
    sharedLink: async ({ projectId }) =>
      (await api('GET', `/api/projects/${projectId}/links`)).sharedLink as Record<string, unknown>,
    async logs() {
      const folder = join(dataDir, 'logs');
      const texts = (await readdir(folder)).map(name => readFile(join(folder, name), 'utf8'));
      return (await Promise.all(texts)).join('\n');
    },
  };
  const stack = starting.move();
  return Object.assign(bench, { [Symbol.asyncDispose]: () => stack.disposeAsync() }) as Bench;
}

async function launch(scene: Scene): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: await deviceArguments(scene) });
}

export const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** The arguments of a Chromium that has the scene's camera and microphone. */
export async function deviceArguments(scene: Scene): Promise<string[]> {
  const { picture, sound } = await sceneFiles(scene);
  const cameras = { cameras: '=device-count=2', none: '=device-count=0' }[scene as string] ?? '';
  return [
    '--no-sandbox',
    '--use-fake-ui-for-media-stream',
    `--use-fake-device-for-media-stream${cameras}`,
    ...(cameras ? [] : [`--use-file-for-fake-video-capture=${picture}`]),
    `--use-file-for-fake-audio-capture=${sound}`,
    '--autoplay-policy=no-user-gesture-required',
  ];
}

// Somebody in front of a wall, in few colours: pictures of the pages are kept in git.
const PORTRAIT = [
  'drawbox=color=0xcfd8dc:t=fill',
  "geq=lum='if(lt(hypot((X-W/2)/0.8,Y-H*0.42),H*0.17),190,if(lt(hypot((X-W/2)/1.25,Y-H*1.08),H*0.46),86,lum(X,Y)))':cb='if(lt(hypot((X-W/2)/0.8,Y-H*0.42),H*0.17),108,if(lt(hypot((X-W/2)/1.25,Y-H*1.08),H*0.46),142,cb(X,Y)))':cr='if(lt(hypot((X-W/2)/0.8,Y-H*0.42),H*0.17),148,if(lt(hypot((X-W/2)/1.25,Y-H*1.08),H*0.46),112,cr(X,Y)))'",
].join(',');
const PICTURES: Partial<Record<Scene, string[]>> = {
  dark: ['-vf', 'drawbox=color=black:t=fill'],
  silence: ['-t', '1', '-vf', `fps=5,${PORTRAIT}`],
  portrait: ['-t', '1', '-vf', `fps=5,${PORTRAIT}`],
};

/** A picture and a sound that Chromium's fake devices play: made once a machine. */
async function sceneFiles(scene: Scene): Promise<{ picture: string; sound: string }> {
  await mkdir(CLIPS, { recursive: true });
  const clip = await makeClip({ dir: CLIPS, text: SPOKEN, container: 'webm', frameRate: 15 });
  const picture = `${clip.path}.${PICTURES[scene] ? scene : 'bright'}.mjpeg`;
  const sound = `${clip.path}.${scene === 'silence' ? 'silence' : 'speech'}.wav`;
  const mute = scene === 'silence' ? ['-af', 'volume=0'] : [];
  if (!existsSync(picture))
    ffmpeg(['-i', clip.path, '-an', ...(PICTURES[scene] ?? []), '-c:v', 'mjpeg', '-q:v', '6', '-f', 'mjpeg'], picture);
  if (!existsSync(sound)) ffmpeg(['-i', clip.path, '-vn', ...mute, '-ar', '48000', '-ac', '1', '-f', 'wav'], sound);
  return { picture, sound };
}

function ffmpeg(args: string[], output: string): void {
  // Each file appears whole, as several test files may make the same one at once.
  const making = `${output}.${process.pid}`;
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, making]);
  if (status !== 0) throw new Error(`ffmpeg: ${stderr}`);
  renameSync(making, output);
}

/** Waits until the API tells as many submissions, and gives them. */
export function landed(bench: Bench, project: Project, count = 1): Promise<Submission[]> {
  return waitFor(
    `${count} landed`,
    async () => {
      const found = await bench.submissions(project);
      return found.length >= count ? found : undefined;
    },
    { timeoutMs: LIMIT_MS },
  );
}
