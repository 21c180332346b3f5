import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { brandRoutes } from './brand.ts';
import { dashboardRoutes } from './dashboard.ts';
import { deliveryRoutes } from './deliveries.ts';
import { descriptionRoutes } from './descriptions.ts';
import { exportRoutes } from './exports.ts';
import { healthRoutes } from './health.ts';
import { linkRoutes } from './links.ts';
import { meRoutes } from './me.ts';
import { mediaRoutes } from './media.ts';
import { projectRoutes } from './projects.ts';
import { recorderRoutes } from './recorder.ts';
import { submissionRoutes } from './submissions.ts';
import { transcriptRoutes } from './transcripts.ts';
import { uploadRoutes } from './uploads.ts';

const ROUTES = [
  healthRoutes,
  meRoutes,
  projectRoutes,
  linkRoutes,
  submissionRoutes,
  exportRoutes,
  transcriptRoutes,
  mediaRoutes,
  deliveryRoutes,
  dashboardRoutes,
  recorderRoutes,
  uploadRoutes,
  brandRoutes,
  descriptionRoutes,
];

export async function registerRoutes(app: FastifyInstance, context: Context): Promise<void> {
  for (const register of ROUTES) await register(app, context);
}
