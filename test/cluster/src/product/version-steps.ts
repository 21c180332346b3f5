import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '@recording-request/k8s/manifests';
import type { Overlay } from './overlay.ts';

/** One set of objects that takes the place of another. */
export interface VersionStep {
  /** What runs then, in the words of an operator. */
  what: string;
  objects: Manifest[];
  /** Whether they are the version before. */
  isBefore?: boolean;
  /** Whether it is this version that takes the other's place again, after its migration. */
  migrates?: boolean;
}

/** On the way between services without certificates and with them: deploy/README.md. */
const SEND = { INTERNAL_PLAINTEXT: 'send', SUBMISSIONS_HTTP: 'http://submissions-http:8080' };
const ACCEPT = { INTERNAL_PLAINTEXT: 'accept' };

/** Returns the steps from this version to the one whose sources are in `previous`, and back to this one. */
export async function versionSteps(overlay: Overlay, previous: string): Promise<VersionStep[]> {
  const base = join(previous, 'deploy/k8s/base');
  const before = {
    what: 'the version before',
    objects: await overlay('overlay-previous', { base, tag: 'previous' }),
    isBefore: true,
  };
  const now = { what: 'this version', objects: await overlay('overlay-now') };
  const knowsCertificates = /^INTERNAL_PLAINTEXT=/m.test(await readFile(join(base, 'settings.env'), 'utf8'));
  if (knowsCertificates) return [before, { ...now, migrates: true }];
  const accept = { what: 'INTERNAL_PLAINTEXT=accept', objects: await overlay('overlay-accept', { settings: ACCEPT }) };
  const send = { what: 'INTERNAL_PLAINTEXT=send', objects: await overlay('overlay-send', { settings: SEND }) };
  return [
    accept,
    send,
    before,
    { ...send, what: 'this version, INTERNAL_PLAINTEXT=send', migrates: true },
    accept,
    now,
  ];
}
