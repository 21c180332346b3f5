import { back } from './back.ts';
import { camera } from './camera.ts';
import { capture } from './capture.ts';
import type { Event, On, Step } from './events.ts';
import { review } from './review.ts';
import { startup } from './startup.ts';
import type { State } from './state.ts';
import { upload } from './upload.ts';
import { welcome } from './welcome.ts';

const on: On<Event['is']> = { ...startup, ...welcome, ...camera, ...capture, ...review, ...upload, ...back };

/** Returns the state after an event, and the effects to run. A pure function. */
export const reduce = (state: State, event: Event): Step =>
  (on[event.is] as (state: State, event: Event) => Step)(state, event);
