import { createOwner } from './owner.ts';
import type { Show } from './show.ts';
import { contribute } from './steps/contribute.ts';
import { createProjects, type Projects } from './steps/create-projects.ts';
import { checkExports } from './steps/exports.ts';
import { checkFigures } from './steps/figures.ts';
import { makeClips } from './steps/make-clips.ts';
import { checkMedia } from './steps/media.ts';
import { checkQr } from './steps/qr.ts';
import { refuseBadClips, refuseBadInput } from './steps/refusals.ts';
import { checkDashboardList, settle } from './steps/settle.ts';
import { checkNoSecrets, checkTrace } from './steps/trace.ts';
import { checkTranscripts } from './steps/transcripts.ts';
import { checkWebhooks } from './steps/webhooks.ts';

/** The programs that the steps run, besides python3. */
export const PROGRAMS = ['ffmpeg', 'flite', 'zbar-tools'] as const;

export interface Performed {
  /** The recognised share of all spoken words, 0 to 1. */
  shareHeard: number;
  projects: Projects;
}

/**
 * Plays the owner and the contributors against the installation that `show` describes, over HTTP, and checks the
 * results. Resolves when every check has passed. Rejects at the first failed check, with a sentence that names the
 * expected and the actual value.
 */
export async function perform(show: Show): Promise<Performed> {
  const owner = createOwner(show);
  const clips = await makeClips(show);
  const projects = await createProjects(show, owner);
  const landed = await contribute(show, projects, clips);
  await refuseBadInput(show, projects, owner);
  const short = await refuseBadClips(show, projects, clips);
  const settled = await settle(show, owner, projects, landed, short);
  const shareHeard = await checkTranscripts(show, owner, settled);
  const videos = await checkMedia(show, owner, settled);
  await checkFigures(show, owner, projects);
  const delivered = await checkWebhooks(show, projects, settled);
  await checkExports(show, owner, projects, settled, videos);
  await checkDashboardList(show, projects, settled);
  await checkQr(show, owner, projects);
  await checkTrace(show, settled[0]!, delivered);
  await checkNoSecrets(show, projects);
  return { shareHeard, projects };
}
