import { isObject } from '../../kernel/json.js';
import { ContentModelError } from '../model/content-model-error.js';

const WAYS = ['useFactory', 'useClass', 'useExisting'] as const;

/** Throws a ContentModelError unless options of `forRootAsync` have exactly one source. */
export function checkAsyncOptions(
  module: string,
  options: Readonly<Partial<Record<(typeof WAYS)[number], unknown>>>,
): void {
  const ways = isObject(options) ? WAYS.filter((way) => options[way] !== undefined) : [];
  if (ways.length === 1) return;
  const found = ways.length === 0 ? 'there is none of them' : `there are ${ways.join(' and ')}`;
  throw new ContentModelError(
    [`${module}.forRootAsync takes one of useFactory, useClass and useExisting; ${found}`],
    'options',
  );
}
