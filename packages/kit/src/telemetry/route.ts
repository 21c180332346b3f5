import { context } from '@opentelemetry/api';
import { getRPCMetadata } from '@opentelemetry/core';

/** Has the span and the duration of the running HTTP request known by its route, such as `/api/projects/:projectId`: a path has ids and tokens. */
export function nameRequest(route: string | undefined): void {
  const metadata = getRPCMetadata(context.active());
  if (metadata && route) metadata.route = route.replace(/:(\w+)/g, '{$1}');
}
