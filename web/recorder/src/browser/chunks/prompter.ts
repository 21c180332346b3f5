export { createPrompter } from '../prompter/prompter.ts';
