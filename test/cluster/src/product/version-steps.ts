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
  /** Whether it is this version that takes the other's place, after its migration. */
  migrates?: boolean;
}

/** The version before as it is installed from nothing, and what takes its place, one after the other. */
export interface VersionPlan {
  before: VersionStep;
  steps: VersionStep[];
}

/** Returns the steps from the version whose sources are in `previous` to this one, back to it, and to this one again. */
export async function versionSteps(overlay: Overlay, previous: string): Promise<VersionPlan> {
  const base = join(previous, 'deploy/k8s/base');
  const before = {
    what: 'the version before',
    objects: await overlay('overlay-previous', { base, tag: 'previous' }),
    isBefore: true,
  };
  const first = { what: 'this version', objects: await overlay('overlay-now'), migrates: true };
  return { before, steps: [first, before, first] };
}
