import { type FakeStore, mediaAt } from './fake-store.ts';
import { asProject, type FakeServices, OWNER_ID, PROJECT_ID, SUBMISSION_ID } from './test-service.ts';

export const SECRET = 'a-secret-of-the-proxy-0123456789abcdef';
export const OFFLOAD = { MEDIA_OFFLOAD: 'accel', MEDIA_OFFLOAD_SECRET: SECRET, TRUSTED_PROXIES: '1' };
export const SUBMISSION_PATH = `/api/projects/${PROJECT_ID}/submissions/${SUBMISSION_ID}`;

/** The headers of a proxy that sends media. */
export const PROXIED = { 'x-media-offload': 'takes', 'x-media-offload-secret': SECRET, 'x-forwarded-for': '192.0.2.1' };

export const fakeServices = (objects: FakeStore): FakeServices => ({
  projects: {
    getProject: async () => ({ projectName: 'Stories', project: asProject() }),
    resolveDashboardToken: async () => ({ ownerId: OWNER_ID, projectId: PROJECT_ID }),
  },
  submissions: { getMedia: mediaAt(objects) },
});
