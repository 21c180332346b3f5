import { randomUUID } from 'node:crypto';
import { tusMetadata } from '@recording-request/harness/tus';
import type { Random } from '@recording-request/stack/random';
import { BYTES, byHand } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

const PROJECTS = { short: 400, long: 2_000 };
const QUESTIONS = 50;
const QUESTION = '😀'.repeat(500);
const LIST_MS = 10_000;

export const projectsList: FaultCase = {
  name: 'projects-list-of-long-projects',
  promise: 'The list of projects is answered for any number of projects and any length of their texts',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { limited: ['gateway', 'projects'] },
  async run(harness, { short }) {
    const wanted = PROJECTS[short ? 'short' : 'long'];
    let left = wanted;
    const make = async () => {
      while (left-- > 0) {
        const json = { projectName: `Long ${left}`, count: 1, interviewQuestions: Array(QUESTIONS).fill(QUESTION) };
        const answer = await harness.owner.ask('/api/projects', { method: 'POST', json });
        if (answer.status !== 200) throw new Error(`a project could not be created: ${answer.what}: ${answer.bytes}`);
      }
    };
    await Promise.all(Array.from({ length: 6 }, make));
    const began = Date.now();
    const answer = await harness.owner.ask('/api/projects');
    const took = Date.now() - began;
    if (answer.status !== 200)
      return harness.violated(
        `the list of ${wanted} projects returned ${answer.what}: ${answer.bytes.toString().slice(0, 200)}`,
      );
    const { projects } = answer.json() as { projects: unknown[] };
    if (projects.length < wanted) harness.violated(`the list has ${projects.length} of ${wanted} projects`);
    if (took > LIST_MS) harness.violated(`the list of ${wanted} projects took ${took} ms`);
  },
};

const PARTS = { short: 1_000, long: 6_000 };
const PART_BYTES = 1_024;
/**
 * The time limit of a later PATCH is the time of the first PATCH, times FACTOR, plus NOISE_MS for variations of the
 * machine.
 */
const FACTOR = 1.5;
const NOISE_MS = 10;
const TIMED = 25;
const REFUSED = { short: 30, long: 200 };
const OPEN_MAX = 20;
const TRIED = 30;
/** The number of uploads that are refused at the same time. Each answers a different question. */
const LANES = 6;

export const longUploadAndRefusals: FaultCase = {
  name: 'long-upload-and-refused-creations',
  promise: 'A PATCH costs the same at any length of its upload; refused uploads do not raise the limit of open ones',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { env: { UPLOAD_PART_BYTES: String(PART_BYTES) } },
  async run(harness, { random, short }) {
    const form = short ? 'short' : 'long';
    await longUpload(harness, await harness.owner.create(), PARTS[form], random.fork('long'));
    const questions = Array.from({ length: QUESTIONS }, (_, at) => `Question ${at}?`);
    await refusals(harness, await harness.owner.create({ interviewQuestions: questions }), REFUSED[form], random);
  },
};

/** Sends an upload of very many parts, and measures small PATCHes at its beginning and at its end. */
async function longUpload(harness: Harness, project: Project, parts: number, random: Random): Promise<void> {
  const take = harness.take(random, { padBytes: (parts + TIMED * 2) * PART_BYTES });
  const hand = byHand(harness, { project }, take);
  await hand.begin();
  await hand.create();
  const timed = async (from: number): Promise<number> => {
    const times: number[] = [];
    for (let at = 0; at < TIMED; at++) {
      const began = performance.now();
      const answer = await hand.patch(from + at, { end: from + at + 1 });
      times.push(performance.now() - began);
      if (answer.status !== 204) throw new Error(`${answer.what}: ${answer.bytes}`);
    }
    return times.toSorted((a, b) => a - b)[Math.floor(TIMED / 2)]!;
  };
  const first = await timed(0);
  const end = parts * PART_BYTES;
  for (let offset = TIMED; offset < end; ) {
    const next = Math.min(end, offset + 250 * PART_BYTES);
    const answer = await hand.patch(offset, { end: next });
    if (answer.status !== 204) throw new Error(`${answer.what}: ${answer.bytes}`);
    offset = next;
  }
  const last = await timed(end);
  if (last > first * FACTOR + NOISE_MS)
    harness.violated(
      `a PATCH takes ${Math.round(last)} ms after ${parts} parts, and ${Math.round(first)} ms at the beginning`,
    );
  await hand.finish(end + TIMED);
}

const NO_VIDEO = Buffer.from('This is no video.');

/** Sends uploads that are not videos. Then leaves more uploads open than one response may have. */
async function refusals(harness: Harness, project: Project, count: number, random: Random): Promise<void> {
  const responseSessionId = randomUUID();
  const hand = byHand(harness, { project }, harness.take(random), responseSessionId);
  await hand.begin();
  const create = (questionIndex: number, length: number) =>
    hand.create({
      'upload-length': String(length),
      'upload-metadata': tusMetadata({ responseSessionId, questionIndex, filetype: 'video/webm' }),
    });
  let left = count;
  const refuse = async (questionIndex: number) => {
    while (left-- > 0) {
      const created = await create(questionIndex, NO_VIDEO.length);
      if (created.status !== 201) throw new Error(`${created.what}: ${created.bytes}`);
      const headers = { ...BYTES, 'upload-offset': '0' };
      const answer = await harness.gateway.ask(created.headers.location!, { method: 'PATCH', headers, body: NO_VIDEO });
      if (answer.status !== 422) harness.violated(`an upload that is not a video returned ${answer.what}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, at) => refuse(at)));
  const answers = [];
  for (let at = 0; at < TRIED; at++) answers.push((await create(LANES, 1_000)).status);
  const open = answers.filter(status => status === 201).length;
  if (open > OPEN_MAX)
    harness.violated(`a response with ${count} refused uploads has ${open} open ones; the limit is ${OPEN_MAX}`);
}
