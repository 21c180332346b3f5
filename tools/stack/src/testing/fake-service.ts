// Replaces a service in tests of the cluster: it serves gRPC health, HTTP if an address is given, and the two routes of
// the gateway's API that `npm start` calls. It imports nothing from the real services, because this package must not
// depend on them.
import { createServer } from 'node:http';
import { Server, ServerCredentials } from '@grpc/grpc-js';

const { HEALTH_LISTEN, HTTP_LISTEN, PUBLIC_BASE_URL, FAKE_NAME, FAKE_FAILS } = process.env;
if (FAKE_FAILS && FAKE_FAILS === FAKE_NAME) {
  console.error('MONGO_URL is malformed');
  process.exit(3);
}

const grpc = new Server();
const raw = (bytes: Buffer) => bytes;
grpc.addService(
  {
    check: {
      path: '/grpc.health.v1.Health/Check',
      requestStream: false,
      responseStream: false,
      requestSerialize: raw,
      requestDeserialize: raw,
      responseSerialize: raw,
      responseDeserialize: raw,
    },
  },
  { check: (_: unknown, answer: (error: null, bytes: Buffer) => void) => answer(null, Buffer.from([0x08, 0x01])) },
);
await new Promise<void>((resolve, reject) =>
  grpc.bindAsync(HEALTH_LISTEN!, ServerCredentials.createInsecure(), error => (error ? reject(error) : resolve())),
);

const project = {
  projectId: 'p1',
  dashboardUrl: `${PUBLIC_BASE_URL}/project/prj_1`,
  sharedLink: { url: `${PUBLIC_BASE_URL}/r/vr_shared` },
  recipientUrls: [{ url: `${PUBLIC_BASE_URL}/r/vr_1` }],
};
const http = createServer((request, response) => {
  const known = request.headers.authorization === 'Bearer api_fake';
  const route = `${request.method} ${request.url}`;
  const answers: Record<string, unknown> = {
    'GET /healthz': {},
    'GET /env': process.env,
    ...(known ? { 'GET /api/me': {}, 'POST /api/projects': project, 'GET /api/projects/p1': project } : {}),
  };
  const status = answers[route] ? 200 : known ? 404 : 401;
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify(answers[route] ?? { error: 'no' }));
});
if (HTTP_LISTEN) http.listen(Number(HTTP_LISTEN.split(':')[1]), HTTP_LISTEN.split(':')[0]);

process.on('SIGTERM', () => {
  console.log(`${FAKE_NAME} stops ${Date.now()}`);
  process.exit(0);
});
