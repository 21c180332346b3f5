import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import { check, checkEqual } from '../check.ts';
import type { Owner } from '../owner.ts';
import type { Show } from '../show.ts';
import { type Projects, SHARED_USES } from './create-projects.ts';

/** Checks that stats and link states match the steps so far. */
export async function checkFigures({ play }: Show, owner: Owner, projects: Projects): Promise<void> {
  await play('stats and link states add up', async note => {
    await checkStats(owner, projects.stories.created.projectId, {
      videosCreated: 2,
      selectedVideos: 0,
      transcriptCompleted: 2,
      transcriptPending: 0,
      transcriptFailed: 0,
      uniqueLinksTotal: 2,
      uniqueLinksRemaining: 0,
      sharedLinksTotal: 1,
      sharedUsesRemaining: SHARED_USES,
      totalResponseCapacity: 2 + SHARED_USES,
      responseSlotsUsed: 2,
      responseSlotsRemaining: SHARED_USES,
    });
    // Both clips are from one contributor, so they count as one response.
    await checkStats(owner, projects.interview.created.projectId, {
      videosCreated: 2,
      selectedVideos: 0,
      transcriptCompleted: 2,
      transcriptPending: 0,
      transcriptFailed: 0,
      uniqueLinksTotal: 1,
      uniqueLinksRemaining: 1,
      sharedLinksTotal: 1,
      sharedUsesRemaining: SHARED_USES - 1,
      totalResponseCapacity: 1 + SHARED_USES,
      responseSlotsUsed: 1,
      responseSlotsRemaining: SHARED_USES,
    });
    await checkStats(owner, projects.strict.created.projectId, {
      videosCreated: 2,
      selectedVideos: 0,
      transcriptCompleted: 0,
      transcriptPending: 0,
      transcriptFailed: 0,
      uniqueLinksTotal: 2,
      uniqueLinksRemaining: 0,
      sharedLinksTotal: 0,
      sharedUsesRemaining: 0,
      totalResponseCapacity: 2,
      responseSlotsUsed: 2,
      responseSlotsRemaining: 0,
    });
    const stories = await owner.links(projects.stories.created.projectId);
    for (const link of stories.recipientUrls) checkLink(link, { status: 'exhausted', clips: 1, remaining: 0 });
    checkLink(stories.sharedLink!, { status: 'active', clips: 0, remaining: SHARED_USES });
    const interview = await owner.links(projects.interview.created.projectId);
    checkLink(interview.recipientUrls[0]!, { status: 'active', clips: 0, remaining: 1 });
    checkLink(interview.sharedLink!, { status: 'active', clips: 2, remaining: SHARED_USES - 1 });
    note('6 clips in 5 responses through 5 links');
  });
}

async function checkStats(owner: Owner, projectId: string, wanted: Record<string, number>): Promise<void> {
  const { projectName, stats } = await owner.project(projectId);
  for (const [name, value] of Object.entries(wanted))
    checkEqual(`${name} of “${projectName}”`, stats[name as keyof typeof stats], value);
}

function checkLink(link: RecipientLinkJson, wanted: { status: string; clips: number; remaining: number }): void {
  const { linkType, status, submissionCount, remainingUses, openedAt, submittedAt, completedAt } = link;
  checkEqual(`the state of a ${linkType} link`, { status, clips: submissionCount, remaining: remainingUses }, wanted);
  const isUsed = wanted.clips > 0;
  const dates = { openedAt, submittedAt, completedAt };
  const isTrue = Object.values(dates).every(date => (date !== null) === isUsed);
  check(
    `openedAt, submittedAt and completedAt of a ${linkType} link with ${wanted.clips} clips to be ${isUsed ? 'set' : 'null'}`,
    isTrue,
    dates,
  );
}
