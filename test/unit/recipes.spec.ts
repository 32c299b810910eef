/** Image variants as text and as rectangles: tables of examples (issue 13, part 4). */
import fc from 'fast-check';
import { AllowedRecipes, type RecipeOptions } from '../../src/features/media/images/allowed-recipes.ts';
import { chooseVariant } from '../../src/features/media/images/choose-variant.ts';
import { fitCover, fitInside, isLarger } from '../../src/features/media/images/geometry.ts';
import { isAnimatedPng, svgSize } from '../../src/features/media/images/headers.ts';
import { imageOptions } from '../../src/features/media/images/image-options.ts';
import { parseRecipe, recipeText, roundFocus } from '../../src/features/media/images/recipe.ts';
import { signRecipe } from '../../src/features/media/images/recipe-signature.ts';

const size = (text: string): { width: number; height: number } => {
  const [width = 0, height = 0] = text.split('x').map(Number);
  return { width, height };
};

describe('the text of a recipe', () => {
  it.each([
    'w640-inside-q80.webp',
    'h360-inside.png',
    'w640-h360-inside-q1.jpg',
    'w640-h360-cover-q80.webp',
    'w640-h360-cover-x30-y0-q100.avif',
    'w8192-h1-cover.gif',
  ])('accepts %s', (text) => expect(recipeText(parseRecipe(text) as never)).toBe(text));

  it.each([
    '',
    'w640',
    'inside.png', // No width or height.
    'w640-cover-q80.webp', // Cover needs both sides.
    'w0-inside-q80.webp',
    'w0640-inside-q80.webp', // Not the canonical text.
    'w8193-inside-q80.webp',
    'w99999-inside-q80.webp',
    'h360-w640-inside-q80.webp',
    'w640-inside.webp', // No quality.
    'w640-inside-q80.png', // PNG has no quality.
    'w640-inside-q0.webp',
    'w640-inside-q101.webp',
    'w640-inside-q80.svg',
    'w640-inside-q80.WEBP',
    'w640-inside-x30-y30-q80.webp', // Only cover has a focal point.
    'w640-h360-cover-x101-y0-q80.webp',
    'w640-h360-cover-x030-y0-q80.webp',
    'w640-h360-cover-x-1-y0-q80.webp',
    'w640-h360-fill-q80.webp',
    'w640-inside-q80.webp/../../x.png',
    '../w640-inside-q80.webp',
    'constructor',
    'w640-inside-q80.constructor',
  ])('rejects %s', (text) => expect(parseRecipe(text)).toBeNull());

  it('every request has one text or none', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[whxyq0-9]{0,5}-?(inside|cover)?[-xyq0-9]{0,9}\.(webp|png)$/),
        (text) => {
          const recipe = parseRecipe(text);
          return recipe === null || recipeText(recipe) === text;
        },
      ),
    );
  });
});

describe('sizes', () => {
  it.each([
    ['1200x900', '245x156', '208x156'],
    ['1200x900', '750x750', '750x563'],
    ['600x400', '500x500', '500x333'],
    ['100x100', '245x156', '100x100'],
    ['5000x1', '500x500', '500x1'],
  ])('%s inside %s is %s', (picture, box, expected) =>
    expect(fitInside(size(picture), size(box))).toEqual(size(expected)),
  );

  it.each([
    ['245x156', false],
    ['246x10', true],
    ['10x157', true],
  ])('D7: %s is larger than a thumbnail: %s', (picture, expected) =>
    expect(isLarger(size(picture), size('245x156'))).toBe(expected),
  );

  it.each([
    ['1000x500', '100x100', null, '200x100', [50, 0, 100, 100]],
    ['1000x500', '100x100', { x: 0, y: 0 }, '200x100', [0, 0, 100, 100]],
    ['1000x500', '100x100', { x: 30, y: 80 }, '200x100', [10, 0, 100, 100]],
    ['1000x500', '100x100', { x: 99, y: 80 }, '200x100', [100, 0, 100, 100]],
    ['500x1000', '100x50', { x: 50, y: 10 }, '100x200', [0, 0, 100, 50]],
    ['1000x500', '200x100', { x: 10, y: 10 }, '200x100', null],
    // The box is never larger than the picture and keeps its shape.
    ['100x50', '400x400', null, '100x50', [25, 0, 50, 50]],
    ['100x50', '1000x500', null, '100x50', null],
  ] as const)('%s covers %s around %j', (picture, box, focus, scaled, crop) => {
    const [left, top, width, height] = crop ?? [];
    expect(fitCover(size(picture), size(box), focus)).toEqual({
      scaled: size(scaled),
      crop: crop === null ? null : { left, top, width, height },
    });
  });

  it('a crop is always inside the picture, and never larger than the box', () => {
    const side = fc.integer({ min: 1, max: 20_000 });
    const percent = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(side, side, side, side, percent, percent, (width, height, boxWidth, boxHeight, x, y) => {
        const { scaled, crop } = fitCover(
          { width, height },
          { width: boxWidth, height: boxHeight },
          { x, y },
        );
        expect(scaled.width).toBeLessThanOrEqual(width);
        expect(scaled.height).toBeLessThanOrEqual(height);
        const shown = crop ?? { left: 0, top: 0, ...scaled };
        expect(Math.min(shown.left, shown.top)).toBeGreaterThanOrEqual(0);
        expect(shown.left + shown.width).toBeLessThanOrEqual(scaled.width);
        expect(shown.top + shown.height).toBeLessThanOrEqual(scaled.height);
        expect(shown.width).toBeLessThanOrEqual(boxWidth);
        expect(shown.height).toBeLessThanOrEqual(boxHeight);
        expect(Math.min(shown.width, shown.height)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('the variant of a URL', () => {
  const recipes: Readonly<Record<string, RecipeOptions>> = {
    card: { width: 640, height: 360, fit: 'cover', format: 'webp' },
    wide: { width: 1600 },
    best: { height: 900, format: 'auto', quality: 60 },
  };
  const KEYS = ['the new key of this server, 32 bytes', 'the key of last year, still 32 bytes'];
  const offer = { recipes: new AllowedRecipes(recipes), signingKeys: KEYS };
  const file = {
    key: `ab/cd/abcd${'0'.repeat(60)}.png`,
    hash: 'tiny_0123456789',
    mime: 'image/png',
    focalPoint: { x: 30.4, y: 80 },
  };
  const choose = (
    url: string,
    accept = '',
    focalPoint = file.focalPoint as typeof file.focalPoint | null,
  ): string => {
    const [rest = '', query] = url.split('?');
    const request = { rest, query: new URLSearchParams(query), accept };
    const chosen = chooseVariant(offer, { ...file, focalPoint }, request);
    if (chosen === null) return 'none';
    const { recipe, instead, isLasting } = chosen;
    const parts = [recipeText(recipe), isLasting ? 'lasts' : 'may change'];
    return [...parts, ...(instead === null ? [] : [`or ${recipeText(instead)}`])].join(', ');
  };
  const signed = (key: string | undefined, hash = file.hash, recipe = 'w10-inside.png'): string =>
    `w10-inside.png?s=${signRecipe(key ?? '', { hash, recipe })}`;

  it.each([
    ['card', '', 'w640-h360-cover-x30-y80-q80.webp, may change'],
    ['wide', '', 'w1600-inside.png, may change'],
    ['best', '', 'h900-inside.png, may change'],
    ['best', 'image/webp,*/*', 'h900-inside-q60.webp, may change'],
    ['best', 'image/webp,image/avif', 'h900-inside-q60.avif, may change'],
    ['poster', '', 'none'],
    ['constructor', '', 'none'],
    ['w640-h360-cover-q80.webp', '', 'w640-h360-cover-q80.webp, lasts'],
    ['w640-h360-cover-x30-y80-q80.webp', '', 'w640-h360-cover-x30-y80-q80.webp, lasts'],
    // A former focal point: the old variant if it is stored, otherwise the current one.
    [
      'w640-h360-cover-x20-y20-q80.webp',
      '',
      'w640-h360-cover-x20-y20-q80.webp, lasts, or w640-h360-cover-x30-y80-q80.webp',
    ],
    ['w640-h360-cover-q81.webp', '', 'none'],
    ['w640-h360-cover-q80.avif', '', 'none'],
    ['w1600-inside.png', '', 'w1600-inside.png, lasts'],
    ['w1600-inside-q80.jpg', '', 'none'], // The original is a PNG.
    ['h900-inside-q60.avif', '', 'h900-inside-q60.avif, lasts'],
    [signed(KEYS[0]), '', 'w10-inside.png, lasts'],
    [signed(KEYS[1]), '', 'w10-inside.png, lasts'],
    [signed('an unknown key of 32 bytes'), '', 'none'],
    [signed(KEYS[0], 'other_0123456789'), '', 'none'],
    [signed(KEYS[0], file.hash, 'w11-inside.png'), '', 'none'],
    [`${signed(KEYS[0])}x`, '', 'none'],
    ['w10-inside.png?s=', '', 'none'],
    ['w1600-inside.png?s=forged', '', 'none'],
  ])('%s (%s) is %s', (url, accept, expected) => expect(choose(url, accept)).toBe(expected));

  it('without a focal point, a variant shows the centre, and an old focal point means the centre', () => {
    expect(choose('card', '', null)).toBe('w640-h360-cover-q80.webp, may change');
    expect(choose('w640-h360-cover-x20-y20-q80.webp', '', null)).toBe(
      'w640-h360-cover-x20-y20-q80.webp, lasts, or w640-h360-cover-q80.webp',
    );
  });

  it.each<[RecipeOptions | string, string]>([
    [{}, 'needs a width or a height'],
    [{ width: 10, fit: 'cover' }, 'for cover both'],
    [{ width: 9000 }, 'needs sides from 1 to 8192'],
    [{ width: 1.5 }, 'needs sides'],
    [{ width: 1, quality: 101, format: 'webp' }, 'needs'],
    [{ width: 1, format: 'bmp' as never }, 'has no format bmp'],
  ])('rejects a recipe %j at start: it %s', (options, message) =>
    expect(() => new AllowedRecipes({ one: options as RecipeOptions })).toThrow(message),
  );

  it.each([
    [{ signingKeys: ['short'] }, 'signingKeys must be a list of strings of at least 32 bytes'],
    [{ original: 'raw' as never }, 'SharpImages: original'],
    [{ maxPixels: 0 }, 'SharpImages: maxPixels'],
    [{ maxSide: 0 }, 'SharpImages: maxSide'],
    [{ formats: { 'a/b': size('1x1') } }, 'SharpImages: formats.a/b'],
    [{ formats: { tiny: size('0x1') } }, 'SharpImages: formats.tiny'],
  ])('rejects options %j at start', (options, message) =>
    expect(() => imageOptions(options)).toThrow(message),
  );

  it.each([
    [null, null],
    [{ x: 50.2, y: 49.9 }, null],
    [
      { x: -3, y: 120 },
      { x: 0, y: 100 },
    ],
  ])('a focus %j is %j', (given, expected) => expect(roundFocus(given)).toEqual(expected));
});

describe('first bytes of a file', () => {
  it.each([
    ['<svg width="10" height="20"/>', '10x20'],
    [
      '<?xml version="1.0"?><!-- <svga> --><svg\n width = \'10px\' height="20.4px" viewBox="0 0 1 1">',
      '10x20',
    ],
    ['<svg viewBox="0 0 300 150"/>', '300x150'],
    ['<svg viewBox=" 0,0,300 , 150"/>', '300x150'],
    ['<svg width="100%" height="10em" viewBox="0 0 300 150"/>', '300x150'],
    ['<svg data-width="7" stroke-width="3" viewBox="0 0 30 15"/>', '30x15'],
    ['<svg/>', null],
    ['<svg width="0" height="1"/>', null],
    ['<html>', null],
    ['', null],
  ])('%s measures %s', (text, expected) =>
    expect(svgSize(Buffer.from(text))).toEqual(expected === null ? null : size(expected)),
  );

  it('64 KiB of unfinished tags are read in linear time', () => {
    const start = performance.now();
    expect(svgSize(Buffer.from('<svg'.repeat(16_384)))).toBeNull();
    expect(performance.now() - start).toBeLessThan(1000);
  });

  const chunk = (type: string, length: number): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, Buffer.alloc(length + 4)]);
  };
  const png = (...types: string[]): Buffer =>
    Buffer.concat([Buffer.alloc(8), ...types.map((type) => chunk(type, 13))]);
  it.each([
    [['IHDR', 'acTL', 'IDAT'], true],
    [['IHDR', 'IDAT', 'acTL'], false],
    [['IHDR'], false],
    [[], false],
  ])('a PNG of %j is animated: %s', (types, expected) => expect(isAnimatedPng(png(...types))).toBe(expected));
});
