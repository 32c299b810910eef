/** Renders Mermaid diagrams to images while the site is built, so that no script of Mermaid is loaded. */
import { renderMermaidSVG } from 'beautiful-mermaid';

/** Colours of VitePress, with a transparent background. */
const SCHEMES = {
  light: { bg: '#ffffff', fg: '#3c3c43', transparent: true },
  dark: { bg: '#1b1b1f', fg: '#dfdfd6', transparent: true },
};

function imageOf(code, scheme) {
  // The images have no fonts of other servers.
  const svg = renderMermaidSVG(code, SCHEMES[scheme]).replace(/@import url\([^)]*\);/, '');
  return `data:image/svg+xml,${encodeURIComponent(svg).replaceAll("'", '%27')}`;
}

/** Plugin of markdown-it. A diagram is described by its own source, for screen readers. */
export function diagrams(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (...args) => {
    const [tokens, index] = args;
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return fence(...args);
    const images = Object.keys(SCHEMES).map(
      (scheme) =>
        `<img class="diagram-${scheme}" src="${imageOf(content, scheme)}" alt="${md.utils.escapeHtml(content)}">`,
    );
    return `<div class="diagram" tabindex="0" v-pre>${images.join('')}</div>\n`;
  };
}
