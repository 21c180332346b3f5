/** Windows opens a device for these names, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/i;
const LONGEST_STEM_BYTES = 120;

/** Returns the name in a Content-Disposition, safe as a file's name on every system; undefined if it has none. */
export function fileNameOf(disposition: string): string | undefined {
  const encoded = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
  return safeName(decoded(encoded) ?? plain ?? '');
}

function safeName(text: string): string | undefined {
  // Control characters, and those that hide or reverse letters.
  const visible = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '');
  // Windows ignores dots and spaces at the end.
  const name = visible
    .replaceAll(/[/\\:*?"<>|]/g, '_')
    .replace(/[. ]+$/, '')
    .trimStart();
  const [, stem = '', extension = ''] = /^(.+?)(\.[^.]{1,20})?$/u.exec(name) ?? [];
  const bytes = new TextEncoder().encode(stem).subarray(0, LONGEST_STEM_BYTES);
  // The decoder keeps back a letter that was cut.
  const short = `${new TextDecoder().decode(bytes, { stream: true })}${extension}`.replace(/[. ]+$/, '');
  return (DEVICE.test(short) ? `_${short}` : short) || undefined;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
