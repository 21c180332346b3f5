import { type Kept, keep, keepLook, type Look, readKept, readLook, type Source } from './kept.ts';
import { createPage, type Page } from './page.ts';
import {
  type Block,
  blocksOf,
  isOnlyBullets,
  type Move,
  moveOf,
  pixelsPerSecond,
  SIZE,
  SPEED,
  stepped,
  wordsIn,
} from './script-text.ts';
import { wordsOf } from './words.ts';

/** The values and actions of the recorder that the prompter uses. */
export interface PrompterOptions {
  /** The camera's screen. Its `data-mode` is `recording` while a take runs. */
  screen: HTMLElement;
  lang: string;
  /** The path of the link, under which the device keeps the notes. */
  link: string;
  /** Loads the owner's text; undefined where there is none. */
  loadScript: (() => Promise<string>) | undefined;
  onClose(): void;
}

export interface Prompter {
  open(): void;
}

const NO_PLACE = { script: 0, notes: 0 };
// A page of text leaves a little of the previous one, so that a reader finds the line.
const PAGE_SHARE = 0.8;
const KEEP_MS = 500;

/** Creates the text beside the camera. It is an element above the picture, so no recording contains it. */
export function createPrompter({ screen, lang, link, loadScript, onClose }: PrompterOptions): Prompter {
  const words = wordsOf(lang);
  const page: Page = createPage(screen, words, loadScript !== undefined);
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const usual: Kept = { notes: '', source: loadScript ? 'script' : 'notes', place: NO_PLACE };
  const kept: Kept = readKept(link, usual);
  if (!loadScript) kept.source = 'notes';
  const look: Look = readLook({ size: SIZE.usual, wordsPerMinute: SPEED.usual });
  let script: string | undefined;
  let blocks: Block[] = [];
  let wordCount = 0;
  let current = 0;
  let running = 0;
  let keeping = 0;

  const isStepwise = (): boolean => calm.matches || isOnlyBullets(blocks);
  const furthest = (): number => page.text.scrollHeight - page.text.clientHeight;

  function keepSoon(): void {
    window.clearTimeout(keeping);
    keeping = window.setTimeout(() => keep(link, kept), KEEP_MS);
  }

  function notePlace(): void {
    kept.place = { ...kept.place, [kept.source]: furthest() > 0 ? page.text.scrollTop / furthest() : 0 };
    keepSoon();
  }

  function stop(): void {
    if (running) cancelAnimationFrame(running);
    running = 0;
    page.showRunning(false);
  }

  /** Scrolls by the speed. Remembers the exact place, because some browsers round the position of the text. */
  function run(): void {
    if (running || isStepwise() || page.isEditing()) return;
    let at = page.text.scrollTop;
    let before = performance.now();
    const frame = (now: number) => {
      // The contributor has scrolled by hand.
      if (Math.abs(page.text.scrollTop - at) > 2) at = page.text.scrollTop;
      at += (pixelsPerSecond(page.text.scrollHeight, wordCount, look.wordsPerMinute) * (now - before)) / 1_000;
      before = now;
      page.text.scrollTop = at;
      if (at >= furthest()) return stop();
      running = requestAnimationFrame(frame);
    };
    running = requestAnimationFrame(frame);
    page.showRunning(true);
  }

  function toPart(index: number): void {
    current = Math.max(0, Math.min(page.parts().length - 1, index));
    page.markPart(current);
  }

  function move(kind: Move): void {
    if (isStepwise()) {
      toPart(current + (kind.endsWith('Up') ? -1 : 1));
    } else if (kind === 'toggle') {
      if (running) stop();
      else run();
    } else {
      const lines = kind.startsWith('page') ? page.text.clientHeight * PAGE_SHARE : look.size * 1.5;
      page.text.scrollTop += kind.endsWith('Up') ? -lines : lines;
    }
  }

  function show(): void {
    const text = kept.source === 'script' ? (script ?? '') : kept.notes;
    blocks = blocksOf(text);
    wordCount = wordsIn(text);
    page.showText(blocks, kept.source === 'notes' ? words.empty : '');
    page.showSource(kept.source, { isStepwise: isStepwise() });
    page.text.scrollTop = kept.place[kept.source] * furthest();
    current = Math.min(Math.floor(kept.place[kept.source] * page.parts().length), Math.max(0, page.parts().length - 1));
    if (isStepwise()) page.markPart(current);
  }

  async function turnTo(source: Source): Promise<void> {
    stop();
    kept.source = source;
    keepSoon();
    show();
    if (source !== 'script' || script !== undefined || !loadScript) return;
    page.showText([], '…');
    script = await loadScript().catch(() => undefined);
    if (kept.source !== 'script') return;
    show();
    if (script === undefined) page.showText([], words.failed);
  }

  function resize(by: 1 | -1): void {
    const place = furthest() > 0 ? page.text.scrollTop / furthest() : 0;
    look.size = stepped(SIZE, look.size, by);
    page.showLook(look);
    page.text.scrollTop = place * furthest();
    keepLook(look);
  }

  function pace(by: 1 | -1): void {
    look.wordsPerMinute = stepped(SPEED, look.wordsPerMinute, by);
    page.showLook(look);
    keepLook(look);
  }

  function close(): void {
    stop();
    page.root.hidden = true;
    screen.classList.remove('prompted');
    onClose();
  }

  function edit(): void {
    if (page.isEditing()) {
      kept.notes = page.endEdit();
      keepSoon();
      // Goes to the kept place, so that a correction does not lose it.
      show();
    } else {
      stop();
      page.edit(kept.notes);
    }
  }

  const { buttons } = page;
  buttons.run.onclick = () => (running ? stop() : run());
  buttons.slower.onclick = () => pace(-1);
  buttons.faster.onclick = () => pace(1);
  buttons.smaller.onclick = () => resize(-1);
  buttons.larger.onclick = () => resize(1);
  buttons.turn.onclick = () => void turnTo(kept.source === 'script' ? 'notes' : 'script');
  buttons.edit.onclick = edit;
  buttons.close.onclick = close;
  page.text.addEventListener('scroll', notePlace);
  calm.addEventListener('change', () => !page.root.hidden && show());

  addEventListener('keydown', event => {
    if (page.root.hidden || screen.hidden || page.isEditing() || document.querySelector('dialog[open]')) return;
    const target = event.target as HTMLElement;
    if (target.closest('input, textarea, select')) return;
    if (event.key === 'Escape') return close();
    const kind = moveOf(event);
    // Space presses a button of the prompter. Elsewhere it moves the text: a pedal must not end the recording.
    if (!kind || (kind === 'toggle' && target.closest('.prompter-bar'))) return;
    event.preventDefault();
    move(kind);
  });
  // Firefox presses a button when Space is released.
  addEventListener('keyup', event => {
    const target = event.target as HTMLElement;
    const isOurs = !page.root.hidden && !screen.hidden && !target.closest('.prompter-bar, input, textarea, select');
    if (event.key === ' ' && isOurs) event.preventDefault();
  });
  new MutationObserver(() => {
    if (page.root.hidden) return;
    if (screen.dataset.mode === 'recording') run();
    else stop();
  }).observe(screen, { attributes: true, attributeFilter: ['data-mode'] });

  return {
    open() {
      page.root.hidden = false;
      screen.classList.add('prompted');
      page.showLook(look);
      page.text.focus();
      void turnTo(kept.source);
    },
  };
}
