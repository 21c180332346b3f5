import {
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import type { Logger } from '@recording-request/kit/log';
import { namesIn } from './names.ts';

/**
 * Returns the services that may call an RPC, by the RPC's path, on one listener; none if the table has no line for the
 * RPC.
 */
export type CallersOf = (path: string) => readonly string[];

type Call = Parameters<ServerInterceptor>[1];
/** Undefined without TLS. */
type Names = readonly string[] | undefined;

const known = new WeakMap<object, { names: Names }>();

/** Refuses each call whose caller the table does not name. In plaintext, where callers are unknown, every RPC in the table is allowed. */
export function authorize(callersOf: CallersOf, isPlaintext: boolean, log: Logger): ServerInterceptor {
  return ({ path }, call) => {
    const callers = callersOf(path);
    const names = namesOf(call);
    const allowed = names ? names.some(name => callers.includes(name)) : isPlaintext && callers.length > 0;
    // Returns the call itself, because a wrapper would cost time for each message. The library needs only this
    // interface.
    if (allowed) return call as ServerInterceptingCall;
    const who = names
      ? names.join(' and ') || 'A caller whose certificate names no service'
      : 'A caller without a certificate';
    const details = `${who} may not call ${path} on this port.`;
    log.warn({ rpc: path, caller: names }, 'A call was refused');
    return refused(call, details);
  };
}

function namesOf(call: Call): Names {
  // Caches the names by TLS session, because the library parses the certificate on every access.
  const { session } = (call as { stream?: { session?: object } }).stream ?? {};
  const before = session && known.get(session);
  if (before) return before.names;
  const { transportSecurityType, sslPeerCertificate } = call.getAuthContext();
  const names = transportSecurityType === 'ssl' ? namesIn(sslPeerCertificate?.subjectaltname) : undefined;
  if (session) known.set(session, { names });
  return names;
}

function refused(call: Call, details: string): ServerInterceptingCall {
  const listener = new ServerListenerBuilder()
    .withOnReceiveMetadata(() => call.sendStatus({ code: status.PERMISSION_DENIED, details }))
    .build();
  return new ServerInterceptingCall(call, new ResponderBuilder().withStart(next => next(listener)).build());
}
