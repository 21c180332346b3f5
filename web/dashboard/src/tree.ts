// What a part of the page is made of, as data: the server writes it as HTML, the script builds it as elements. Each part is
// described once, and neither of the two ever reads a text as markup.

export interface Branch {
  tag: string;
  /** false, null and undefined leave an attribute out; true gives it without a value. */
  attributes: Record<string, string | number | boolean | null | undefined>;
  children: Tree[];
}

export type Tree = Branch | string | number | null | undefined | false | Tree[];

export const el = (tag: string, attributes: Branch['attributes'] = {}, ...children: Tree[]): Branch => ({
  tag,
  attributes,
  children,
});
