import { LIMITS } from '@recording-request/contract/limits';
import { ProjectParams } from '@recording-request/contract/requests';
import { ref } from '@recording-request/contract/resources/fields';
import { ProjectDetail } from '@recording-request/contract/resources/project';
import { DomainError } from '@recording-request/kit/errors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { owner, type ProjectRef, recipient } from '../plugins/access-kinds.ts';
import { acceptBytes } from '../plugins/bodies.ts';
import { projectOf, recipientOf } from '../plugins/caller.ts';
import { operation } from '../plugins/operation.ts';
import { shownAfterChange } from './projects.ts';

const IMAGES = ['image/png', 'image/jpeg', 'image/webp'];
const RULE = `A PNG, JPEG or WebP image of at most ${LIMITS.logoBytes / 1024} KiB and ${LIMITS.logoPixels} pixels on each side`;
const PATH = '/api/projects/:projectId/logo';

/** The logo of a project: its owner sends it, and contributors see it on the recorder. */
export async function logoRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { services } = context;
  acceptBytes(app);

  app.put<{ Body: unknown }>(
    PATH,
    {
      bodyLimit: LIMITS.logoBytes,
      config: owner('projects:write'),
      // The projects service checks the bytes.
      validatorCompiler: schema => (schema.httpPart === 'body' ? () => true : app.validatorCompiler!(schema)),
      schema: operation({
        id: 'setLogo',
        tag: 'extensions',
        summary: 'Set the logo that contributors see',
        description: `${RULE}; its bytes decide on the type, not the Content-Type. Replaces the old one. Applies at once, also to responses that have begun.`,
        params: ProjectParams,
        body: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
        bodyTypes: IMAGES,
        json: { 200: ref(ProjectDetail) },
      }),
    },
    async request => {
      const { body } = request;
      const project = projectOf(request);
      if (Buffer.isBuffer(body) && body.length > 0) return await change(project, body);
      // Another owner's project looks missing, also without a body.
      await services.projects.getProject({ ...project, nameOnly: true });
      throw new DomainError('invalid', 'The body is empty: send the bytes of the image.');
    },
  );

  app.delete(
    PATH,
    {
      config: owner('projects:write'),
      schema: operation({
        id: 'removeLogo',
        tag: 'extensions',
        summary: 'Remove the logo',
        description: 'Changes nothing for a project without a logo.',
        params: ProjectParams,
        json: { 200: ref(ProjectDetail) },
      }),
    },
    request => change(projectOf(request), Buffer.alloc(0)),
  );

  app.get(
    PATH,
    {
      config: owner('projects:read'),
      schema: operation({
        id: 'getLogo',
        tag: 'extensions',
        summary: 'The logo',
        params: ProjectParams,
        files: IMAGES,
      }),
    },
    (request, reply) => send(reply, projectOf(request)),
  );

  // Never cached: the address contains the token of the link.
  app.get('/r/:token/logo', { config: recipient('contributor') }, (request, reply) =>
    send(reply, recipientOf(request)),
  );

  async function change({ ownerId, projectId }: ProjectRef, image: Buffer) {
    const { project } = await services.projects.setLogo({ ownerId, projectId, image });
    return await shownAfterChange(context, project);
  }

  async function send(reply: FastifyReply, { ownerId, projectId }: ProjectRef): Promise<FastifyReply> {
    const { image, mediaType } = await services.projects.getLogo({ ownerId, projectId });
    return reply.type(mediaType).send(Buffer.from(image));
  }
}
