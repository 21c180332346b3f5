import type { RecordingRequest } from '@recording-request/client';
import { EXIT, Failure } from './failures.ts';

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const MOST = 1_000;

/** Returns the id of a project: PROJECT is its id, or its exact name if no other project has it. */
export async function projectIdOf(client: RecordingRequest, project: string, signal: AbortSignal): Promise<string> {
  if (ID.test(project)) return project.toLowerCase();
  const found: { projectId: string; createdAt: string }[] = [];
  const candidates = await client.projects.list({ q: project }, { signal }).all(MOST);
  for (const each of candidates) if (each.projectName === project.trim()) found.push(each);
  if (found.length > 1) {
    const ids = found.map(
      ({ projectId, createdAt }) => `${projectId}  created ${createdAt.slice(0, 16).replace('T', ' ')} UTC`,
    );
    throw new Failure(EXIT.missing, `${found.length} projects have this name. Use an id:`, ids.slice(0, 20));
  }
  if (!found[0]) throw new Failure(EXIT.missing, 'No project has this id or exact name. rr projects list shows them.');
  return found[0].projectId;
}
