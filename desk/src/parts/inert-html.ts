/** HTML that a parser of the browser can read without a report of the page's policy. */

/** Name of the style attribute in such HTML. */
export const HELD_STYLE = 'data-desk-style';

const TAG = /<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi;
const ATTRIBUTE = /([^\s"'>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?/g;

/**
 * HTML whose styles and handlers have other names. The policy of the page refuses them, and each refusal is
 * reported, also in a document that is never shown. `noframes` has raw text, as `style` does.
 */
export const inert = (html: string): string =>
  html
    .replace(/<(\/?)style\b/gi, '<$1noframes')
    .replace(TAG, (tag) =>
      tag.replace(ATTRIBUTE, (attribute, name: string) =>
        /^(?:style|on\w+)$/i.test(name) ? `data-desk-${attribute}` : attribute,
      ),
    );
