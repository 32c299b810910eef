/** Plugin of markdown-it: a README is the index of its folder on the site, so links to it name the index. */
export function indexLinks(md) {
  md.core.ruler.push('index-links', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', href.replace(/(^|\/)README\.md(?=#|$)/, '$1index.md'));
    }
  });
}
