/** A parsed recorded request, for the rules of improvements. */
import type { Case, Model, TypeDefinition } from './cases.ts';

/** One query parameter: `filters[a][$eq]=x` has the keys `filters`, `a`, `$eq`. */
export interface Parameter {
  readonly keys: readonly string[];
  readonly value: string;
}

export interface ParsedRequest {
  readonly recorded: Case;
  readonly parameters: readonly Parameter[];
  /** The content type of the route. */
  readonly type: TypeDefinition | undefined;
  readonly model: Model;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function parameter(pair: string): Parameter {
  const [name = '', ...value] = pair.split('=');
  return {
    keys: decode(name)
      .split(/[[\]]+/)
      .filter((key) => key !== ''),
    value: decode(value.join('=')),
  };
}

export function parseRequest(recorded: Case, model: Model): ParsedRequest {
  const [path = '', query = ''] = recorded.path.split('?');
  const route = path.split('/')[2];
  const type = model.contentTypes.find(
    ({ kind, singularApiId, pluralApiId }) => route === (kind === 'singleType' ? singularApiId : pluralApiId),
  );
  return {
    recorded,
    parameters: query
      .split('&')
      .filter((pair) => pair !== '')
      .map(parameter),
    type,
    model,
  };
}

/** Returns the target type of a relation attribute. */
export function targetOf(
  { type, model }: ParsedRequest,
  attribute: string | undefined,
): TypeDefinition | undefined {
  const target = type?.attributes[attribute ?? '']?.target;
  return model.contentTypes.find(({ singularApiId }) => singularApiId === target);
}
