import type { Tool } from './tool.ts';
import { createProject } from './tools/create-project.ts';
import { exportUrl } from './tools/export-url.ts';
import { getClip } from './tools/get-clip.ts';
import { invite } from './tools/invite.ts';
import { listProjects } from './tools/list-projects.ts';
import { readTranscript } from './tools/read-transcript.ts';
import { searchClips } from './tools/search-clips.ts';
import { whatHappened } from './tools/what-happened.ts';
import { whoIsMissing } from './tools/who-is-missing.ts';

/** All tools, in the order of a project's life. None erases. */
export const TOOLS: readonly Tool[] = [
  listProjects,
  createProject,
  invite,
  whoIsMissing,
  whatHappened,
  searchClips,
  getClip,
  readTranscript,
  exportUrl,
];
