function simple(value: unknown, quoted: boolean): string | null {
  switch (typeof value) {
    case 'string':
      return quoted ? `"${value}"` : value;
    case 'number':
    case 'boolean':
    case 'undefined':
    case 'bigint':
      return Object.is(value, -0) ? '-0' : String(value);
    default:
      return value === null ? 'null' : null;
  }
}

/** Prints nested values with their leaves already printed, as clients of the protocol expect. */
function printValue(value: unknown): string {
  const leaf = simple(value, true);
  if (leaf !== null) return leaf;
  return JSON.stringify(value, (_key, nested: unknown) => simple(nested, true) ?? nested, 2);
}

/** Value of the wrong type; `castFrom` is the value before conversion. */
interface WrongType {
  readonly value: unknown;
  readonly castFrom?: unknown;
}

/** Returns the message for a value of the wrong type (protocol 14.2). */
export function typeMessage(path: string, type: string, { value, castFrom }: WrongType): string {
  const cast = castFrom === undefined ? '' : ` (cast from the value \`${printValue(castFrom)}\`)`;
  return `${path} must be a \`${type}\` type, but the final value was: \`${printValue(value)}\`${cast}.`;
}
