import { base, byId, onClick, show, tell, words } from './page.ts';

// The way out where this browser or this device has no camera for us: the same link, somewhere else.

export interface ElsewherePlan {
  /** A file instead; true for the device's camera app. */
  chooseFile(capture: boolean): void;
  retry(): void;
}

/** A device that is held in the hand: its apps have browsers of their own, and a phone needs no QR code to a phone. */
export const inHand = (): boolean => matchMedia('(pointer: coarse)').matches;

/** Shows where else it can go on, with the reason if there is one to tell. */
export function showElsewhere(reason = ''): void {
  const hand = inHand();
  byId('elsewhere-title').textContent = words(hand ? 'browserTitle' : 'phoneTitle');
  byId('elsewhere-text').textContent = words(hand ? 'browserText' : 'phoneText');
  tell('elsewhere-reason', reason);
  tell('elsewhere-told', '');
  byId('elsewhere-link').hidden = true;
  const code = byId<HTMLImageElement>('elsewhere-qr');
  code.hidden = hand;
  if (!hand) code.src = `${base}/qr.png`;
  if (hand) byId('elsewhere-file').textContent = words('startFile');
  byId('elsewhere-retry').textContent = words('tryAgain');
  show('elsewhere');
}

async function copyLink(): Promise<void> {
  const link = location.origin + base;
  const copied = await (navigator.clipboard?.writeText(link) ?? Promise.reject()).then(
    () => true,
    () => false,
  );
  tell('elsewhere-told', words(copied ? 'linkCopied' : 'copyThis'));
  const field = byId<HTMLInputElement>('elsewhere-link');
  field.hidden = copied;
  if (copied) return;
  field.value = link;
  field.select();
}

export function wireElsewhere(plan: ElsewherePlan): void {
  onClick('elsewhere', () => showElsewhere());
  onClick('copy-link', copyLink);
  onClick('elsewhere-file', () => plan.chooseFile(inHand()));
  onClick('elsewhere-retry', () => plan.retry());
}
