import type { ProjectLinksJson, ProjectStatsJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import type { Entry } from '../contributors/ledger.ts';
import type { Expectations } from './expectations.ts';

/**
 * Checks three rules: used uses equal landed responses, `submissionCount` equals the number of clips, and no count is below
 * zero or above its limit.
 */
export function countViolations(
  submissions: SubmissionJson[],
  links: ProjectLinksJson,
  stats: ProjectStatsJson,
  entries: Entry[],
  expected: Expectations,
): string[] {
  const violations: string[] = [];
  let used = 0;
  for (const link of [...(links.sharedLink ? [links.sharedLink] : []), ...links.recipientUrls]) {
    const { tokenId, maxUses, remainingUses, submissionCount } = link;
    const clips = submissions.filter(submission => submission.tokenId === tokenId);
    const mine = entries.filter(entry => new URL(entry.link).pathname === new URL(link.recipientUrl).pathname);
    // An erased clip still counts at its link, and keeps its use.
    const erased = mine.filter(entry => entry.erased);
    const landed = responsesOf(clips) + erased.length;
    const claimed = maxUses - remainingUses - landed;
    const open = openResponses(
      mine.filter(entry => !entry.erased),
      clips,
    );
    used += landed + Math.max(0, claimed);
    if (remainingUses < 0) violations.push(`link ${tokenId} has ${remainingUses} uses left`);
    if (landed > maxUses) violations.push(`link ${tokenId} of ${maxUses} uses has ${landed} responses`);
    if (submissionCount !== clips.length + erased.length)
      violations.push(`link ${tokenId} counts ${submissionCount} clips but has ${clips.length + erased.length}`);
    if (claimed < 0) violations.push(`link ${tokenId} counts ${-claimed} uses fewer than responses landed`);
    const held = expected.holdsEnd ? 0 : open;
    if (claimed > held)
      violations.push(
        `link ${tokenId} has ${claimed} claimed uses and ${landed} landed ones, but at most ${held} can be claimed`,
      );
  }
  if (stats.videosCreated !== submissions.length)
    violations.push(`the project counts ${stats.videosCreated} videos but has ${submissions.length}`);
  if (stats.responseSlotsUsed !== used)
    violations.push(`the project counts ${stats.responseSlotsUsed} responses but its links count ${used}`);
  for (const [name, value] of Object.entries(stats)) if (value < 0) violations.push(`${name} is ${value}`);
  return violations;
}

/** Returns the number of responses behind the clips. Outside interviews, each clip is one response. */
function responsesOf(clips: SubmissionJson[]): number {
  return new Set(clips.map(clip => clip.responseSessionId ?? clip.submissionId)).size;
}

/** Returns the number of responses that have begun, or may have begun, but have no landed clip. */
function openResponses(entries: Entry[], clips: SubmissionJson[]): number {
  const there = new Set(clips.map(({ sha256 }) => sha256));
  const landed = new Set(entries.filter(entry => there.has(entry.take.sha256)).map(entry => entry.responseSessionId));
  return new Set(entries.map(entry => entry.responseSessionId).filter(id => !landed.has(id))).size;
}
