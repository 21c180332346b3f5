import type { ProjectLinksJson, ProjectStatsJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import type { Entry } from '../contributors/ledger.ts';
import type { Expectations } from './expectations.ts';

/** Landed responses = uses taken, `submissionCount` = clips, and nothing is below zero or above its limit. */
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
    // An erased clip stays counted at its link, and its use is not given back.
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
      violations.push(`link ${tokenId} counts ${submissionCount} clips and has ${clips.length + erased.length}`);
    if (claimed < 0) violations.push(`link ${tokenId} counts ${-claimed} uses fewer than responses landed`);
    const held = expected.holdsEnd ? 0 : open;
    if (claimed > held)
      violations.push(
        `link ${tokenId} holds ${claimed} uses beside the ${landed} that landed, and ${held} can be held`,
      );
  }
  if (stats.videosCreated !== submissions.length)
    violations.push(`the project counts ${stats.videosCreated} videos and has ${submissions.length}`);
  if (stats.responseSlotsUsed !== used)
    violations.push(`the project counts ${stats.responseSlotsUsed} responses and its links ${used}`);
  for (const [name, value] of Object.entries(stats)) if (value < 0) violations.push(`${name} is ${value}`);
  return violations;
}

/** How many responses the clips belong to: one each, outside interviews. */
function responsesOf(clips: SubmissionJson[]): number {
  return new Set(clips.map(clip => clip.responseSessionId ?? clip.submissionId)).size;
}

/** How many responses were begun, or may have been, without anything landing. */
function openResponses(entries: Entry[], clips: SubmissionJson[]): number {
  const there = new Set(clips.map(({ sha256 }) => sha256));
  const landed = new Set(entries.filter(entry => there.has(entry.take.sha256)).map(entry => entry.responseSessionId));
  return new Set(entries.map(entry => entry.responseSessionId).filter(id => !landed.has(id))).size;
}
