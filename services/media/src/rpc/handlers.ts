import type { Handlers } from '@recording-request/kit-rpc/grpc-server';
import type { MediaServiceServer } from '@recording-request/proto/media/v1/media';
import type { Context } from '../context.ts';
import { inspect } from './inspect.ts';

export const mediaHandlers = (context: Context): Handlers<MediaServiceServer> => ({
  inspect: inspect(context),
});
