import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { accentFault, accentShades, DARK_TINT, LIGHT_TINT } from './brand.ts';
import { contrast } from './colour.ts';

const css = readFileSync(new URL('./browser/tokens.css', import.meta.url), 'utf8');

/** Returns the colours of a part of the style sheet by name, as `#rrggbb`. */
function coloursOf(part: string): Record<string, string> {
  const found = [...part.matchAll(/--([a-z-]+): (#[0-9a-f]{3,6});/g)];
  const long = (colour: string) => (colour.length === 4 ? colour.replace(/[0-9a-f]/g, '$&$&') : colour);
  return Object.fromEntries(found.map(([, name, colour]) => [name, long(colour!)]));
}

const [first = '', second = ''] = css.split('@media (prefers-color-scheme: dark)');
const light = coloursOf(first);
const dark = { ...light, ...coloursOf(second.split('@media')[0]!) };
const SCHEMES = { light, dark };
const TEXT = 4.5;
const PART = 3;

test('text and controls have enough contrast on every background, light and dark', t => {
  for (const [scheme, colours] of Object.entries(SCHEMES)) {
    for (const [name, least] of [
      ['ink', 7],
      ['soft', TEXT],
      ['edge', TEXT],
    ] as const) {
      const ratios = ['ground', 'page', 'tint'].map(ground => contrast(colours[name]!, colours[ground]!));
      t.diagnostic(`${scheme} ${name}: ${Math.min(...ratios).toFixed(2)}`);
      assert.ok(Math.min(...ratios) >= least, `${scheme}, ${name}: ${ratios}`);
    }
    for (const name of ['good', 'warn', 'bad', 'busy']) {
      const ratio = contrast(colours[`${name}-ink`]!, colours[`${name}-ground`]!);
      assert.ok(ratio >= 7, `${scheme}, ${name}: ${ratio}`);
    }
  }
});

test('the camera’s colours have enough contrast on its background, and on the darkest scrim over white', () => {
  for (const name of ['stage-soft', 'red', 'amber', 'meter'])
    assert.ok(contrast(light[name]!, light.stage!) >= TEXT, name);
  const scrim = Number(/--scrim: rgb\(0 0 0 \/ ([\d.]+)\)/.exec(css)?.[1]);
  const overWhite = Math.round(255 * (1 - scrim))
    .toString(16)
    .padStart(2, '0')
    .repeat(3);
  for (const [colour, least] of [
    ['#ffffff', TEXT],
    [light.amber!, TEXT],
    [light.red!, PART],
  ] as const)
    assert.ok(contrast(colour, `#${overWhite}`) >= least, `${colour} on the scrim`);
});

test('every shade of any accepted accent colour is readable where it is used', () => {
  assert.deepEqual([light.tint, dark.tint], [LIGHT_TINT, DARK_TINT]);
  let accepted = 0;
  for (const red of [0, 64, 128, 192, 255])
    for (const green of [0, 64, 128, 192, 255])
      for (const blue of [0, 64, 128, 192, 255]) {
        const accent = `#${[red, green, blue].map(value => value.toString(16).padStart(2, '0')).join('')}`;
        if (accentFault(accent, '#0b6b74')) continue;
        accepted += 1;
        const shades = accentShades(accent);
        assert.equal(shades.light.accent, accent, 'a light page has the accent itself');
        for (const [scheme, colours] of Object.entries(SCHEMES) as ['light' | 'dark', Record<string, string>][]) {
          const { accent: fill, onAccent, accentInk } = shades[scheme];
          assert.ok(contrast(onAccent, fill) >= TEXT, `${scheme}, text on ${fill}`);
          for (const ground of ['ground', 'page', 'tint'])
            assert.ok(contrast(accentInk, colours[ground]!) >= TEXT, `${scheme}, ${accentInk} on ${ground}`);
        }
        assert.ok(contrast(shades.dark.accent, light.stage!) >= PART, `${accent} on the stage`);
      }
  assert.ok(accepted > 60, `${accepted} accepted`);
});

test('the default accent has the shades that web/README.md names', () => {
  const { light: day, dark: night } = accentShades('#0b6b74');
  assert.deepEqual(
    [day.accent, day.accentInk, night.accent, night.onAccent],
    ['#0b6b74', '#0b6b74', '#609fa5', '#000000'],
  );
});
