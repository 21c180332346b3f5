import { addStyle } from '@recording-request/web-shared/browser/style';
import type { Look, Source } from './kept.ts';
import style from './prompter.css';
import type { Block } from './script-text.ts';
import type { Words } from './words.ts';

// The elements of the prompter.

type ButtonName = 'run' | 'slower' | 'faster' | 'smaller' | 'larger' | 'turn' | 'edit' | 'close';

export interface Page {
  root: HTMLElement;
  /** The text, which scrolls. */
  text: HTMLElement;
  buttons: Record<ButtonName, HTMLButtonElement>;
  /** The paragraphs and bullet points. */
  parts(): HTMLElement[];
  markPart(index: number): void;
  /** `otherwise` is shown for a text without content. */
  showText(blocks: readonly Block[], otherwise: string): void;
  showSource(source: Source, about: { isStepwise: boolean }): void;
  showLook(look: Look): void;
  showRunning(isRunning: boolean): void;
  isEditing(): boolean;
  edit(notes: string): void;
  /** Returns the edited text. */
  endEdit(): string;
}

const SIGNS = { run: '▶', hold: '❚❚', slower: '−', faster: '+', smaller: 'A−', larger: 'A+', close: '✕' } as const;

function make<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, ...content: (Node | string)[]) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

function button(sign: string, name: string): HTMLButtonElement {
  const element = make('button', 'round', sign);
  element.type = 'button';
  element.setAttribute('aria-label', name);
  element.title = name;
  return element;
}

/** Adds the elements to the camera's screen, hidden. */
export function createPage(screen: HTMLElement, words: Words, hasScript: boolean): Page {
  addStyle(style);
  const text = make('div', 'prompter-text');
  text.tabIndex = 0;
  const editor = make('textarea', 'prompter-editor');
  editor.setAttribute('aria-label', words.notes);
  editor.placeholder = words.empty;
  editor.dir = 'auto';
  editor.hidden = true;
  const buttons: Page['buttons'] = {
    run: button(SIGNS.run, words.run),
    slower: button(SIGNS.slower, words.slower),
    faster: button(SIGNS.faster, words.faster),
    smaller: button(SIGNS.smaller, words.smaller),
    larger: button(SIGNS.larger, words.larger),
    turn: make('button', 'quiet'),
    edit: make('button', 'quiet'),
    close: button(SIGNS.close, words.close),
  };
  const speed = make('output', 'prompter-speed');
  const { run, slower, faster, smaller, larger, turn, edit, close } = buttons;
  for (const each of [turn, edit]) each.type = 'button';
  turn.hidden = !hasScript;
  const bar = make('div', 'prompter-bar', run, slower, speed, faster, smaller, larger, turn, edit, close);
  const root = make('section', 'prompter', text, editor, bar);
  root.id = 'prompter';
  root.setAttribute('aria-label', words.title);
  root.hidden = true;
  const before = screen.querySelector('.capture-top');
  if (before) before.after(root);
  else screen.append(root);

  const parts = () => [...text.querySelectorAll<HTMLElement>('p, li')];
  const element = (block: Block): HTMLElement => {
    if (block.kind === 'bullets') return make('ul', '', ...block.items.map(item => isolated(make('li', '', item))));
    return isolated(make('p', '', block.text));
  };
  return {
    ...{ root, text, buttons, parts },
    markPart(index) {
      for (const [at, part] of parts().entries()) {
        part.classList.toggle('now', at === index);
        if (at === index) part.setAttribute('aria-current', 'true');
        else part.removeAttribute('aria-current');
      }
      parts()[index]?.scrollIntoView({ block: 'nearest' });
    },
    showText(blocks, otherwise) {
      text.replaceChildren(...blocks.map(element));
      if (blocks.length === 0 && otherwise) text.append(make('div', 'prompter-empty', otherwise));
    },
    showSource(source, { isStepwise }) {
      turn.textContent = source === 'script' ? words.notes : words.script;
      edit.textContent = words.edit;
      edit.hidden = source !== 'notes';
      for (const each of [run, slower, faster, speed]) each.hidden = isStepwise;
    },
    showLook({ size, wordsPerMinute }) {
      root.style.setProperty('--prompter-size', `${size}px`);
      speed.textContent = String(wordsPerMinute);
    },
    showRunning(isRunning) {
      const name = isRunning ? words.hold : words.run;
      run.textContent = isRunning ? SIGNS.hold : SIGNS.run;
      run.setAttribute('aria-label', name);
      run.title = name;
    },
    isEditing: () => !editor.hidden,
    edit(notes) {
      editor.value = notes;
      text.hidden = true;
      editor.hidden = false;
      edit.textContent = words.done;
      editor.focus();
    },
    endEdit() {
      editor.hidden = true;
      text.hidden = false;
      text.focus();
      return editor.value;
    },
  };
}

function isolated<T extends HTMLElement>(element: T): T {
  element.dir = 'auto';
  return element;
}
