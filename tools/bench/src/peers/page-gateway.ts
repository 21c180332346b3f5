// A peer of the benchmark: a gateway with the defaults of grpc-js, ts-proto and Fastify. It gets a page of submissions in one
// call and makes the JSON itself. It remembers a token for five seconds.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { credentials } from '@grpc/grpc-js';
import { presentSubmission } from '@recording-request/contract/present';
import { AccountsServiceClient, type AuthenticateResponse } from '@recording-request/proto/accounts/v1/accounts';
import {
  type ListSubmissionsResponse,
  SubmissionsServiceClient,
} from '@recording-request/proto/submissions/v1/submissions';
import Fastify from 'fastify';

const { PORT, PROJECTS_GRPC, SUBMISSIONS_GRPC, PROJECT_NAME = '', BASE_URL = '' } = process.env;
const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = process.env;
const TOKEN_MS = 5_000;

const [cert, key, ca] = [TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE].map(file => readFileSync(file!));
// The names in the services' certificates are not host names.
const secure = credentials.createSsl(ca!, key!, cert!, { checkServerIdentity: () => undefined });

const accounts = new AccountsServiceClient(PROJECTS_GRPC!, secure, { 'grpc.ssl_target_name_override': 'projects' });
const submissions = new SubmissionsServiceClient(SUBMISSIONS_GRPC!, secure, {
  'grpc.ssl_target_name_override': 'submissions',
});
const known = new Map<string, { ownerId: Promise<string>; until: number }>();

function ownerOf(token: string): Promise<string> {
  const found = known.get(token);
  if (found && found.until > Date.now()) return found.ownerId;
  const { promise: ownerId, resolve, reject } = Promise.withResolvers<string>();
  accounts.authenticate(
    { tokenHash: createHash('sha256').update(token).digest() },
    (error, reply: AuthenticateResponse) => (error ? reject(error) : resolve(reply.user!.userId)),
  );
  known.set(token, { ownerId, until: Date.now() + TOKEN_MS });
  ownerId.catch(() => known.delete(token));
  return ownerId;
}

const app = Fastify();
app.get<{ Params: { projectId: string }; Querystring: { limit: string } }>(
  '/api/projects/:projectId/submissions',
  async ({ params: { projectId }, query, headers }) => {
    const ownerId = await ownerOf(String(headers.authorization).slice('Bearer '.length));
    const { promise, resolve, reject } = Promise.withResolvers<ListSubmissionsResponse>();
    const request = { ownerId, projectId, filter: undefined, pageSize: Number(query.limit), cursor: '' };
    submissions.listSubmissions(request, (error, reply) => (error ? reject(error) : resolve(reply)));
    const page = await promise;
    return {
      projectId,
      submissions: page.submissions.map(each =>
        presentSubmission(each, { baseUrl: BASE_URL, projectName: PROJECT_NAME }),
      ),
      pagination: { nextCursor: page.nextCursor || null },
    };
  },
);
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
process.on('SIGTERM', () => process.exit(0));
