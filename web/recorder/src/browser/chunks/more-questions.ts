import { getQuestions } from '../effects/api.ts';

/** Adds the cards of the questions that the page left out. Fails without a connection. Adds nothing twice. */
export async function addCards(fold: HTMLElement, answered: readonly number[]): Promise<void> {
  const { questions } = await getQuestions();
  const cards = document.querySelectorAll('.questions li');
  const list = fold.querySelector('ol')!;
  for (let index = cards.length; index < questions.length; index++) {
    const card = cards[0]!.cloneNode(true) as HTMLElement;
    card.querySelector('[dir="auto"]')!.textContent = questions[index]!;
    card.querySelector<HTMLElement>('.answered')!.hidden = !answered.includes(index);
    list.append(card);
  }
}
