/**
 * Random clipboards in the manner of Word, Google Docs, Notion and web pages. Each has the texts that a paste must
 * keep, and things that it must not bring.
 */
import fc from 'fast-check';

export interface Clipboard {
  readonly html: string;
  /** Words in their order. */
  readonly words: readonly string[];
}

let counter = 0;
const word = fc
  .constantFrom('Alpha', 'Größe', 'naïve', 'שלום', '漢字', 'a&b', 'x<y', '“q”', '1.', '-')
  .map((text) => ({
    text,
  }));

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

type Inline = (text: string) => string;

const bad: readonly Inline[] = [
  (text) => `<a href="javascript:alert(1)" onclick="attack()">${text}</a>`,
  (text) => `<a href=" jAvascript&#58;alert(1)">${text}</a>`,
  (text) => `<a href="java&#10;script:alert(1)">${text}</a>`,
  (text) => `<a href="data:text/html,<script>attack()</script>">${text}</a>`,
  (text) => `<a href="vbscript:attack()">${text}</a>`,
  (text) => `<span onmouseover="attack()" style="background:url(javascript:attack())">${text}</span>`,
  (text) => `${text}<script>attack()</script>`,
  (text) => `${text}<img src=x onerror="attack()">`,
  (text) => `${text}<style>p { color: red }</style>`,
  (text) => `${text}<svg onload="attack()"><script>attack()</script></svg>`,
  (text) => `${text}<iframe src="javascript:attack()"></iframe>`,
  (text) => `${text}<noscript>attack()</noscript>`,
  (text) =>
    `${text}<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=attack()&gt;"></style></mglyph></table></mtext></math>`,
  (text) => `${text}<template><script>attack()</script></template>`,
  (text) => `${text}<!--[if mso]><p>attack()</p><![endif]-->`,
];

const wordInlines: readonly Inline[] = [
  (text) =>
    `<span lang=EN-US style='font-size:12.0pt;mso-fareast-font-family:"Times New Roman"'>${text}<o:p></o:p></span>`,
  (text) => `<b style='mso-bidi-font-weight:normal'><i>${text}</i></b>`,
  (text) => `<span style='text-decoration:line-through'>${text}</span>`,
  (text) => `<a href="https://example.org/a b"><span style='color:#0563C1'>${text}</span></a>`,
];
const docsInlines: readonly Inline[] = [
  (text) =>
    `<span style="font-size:11pt;font-family:Arial;font-weight:700;font-style:normal;text-decoration:none;vertical-align:baseline;white-space:pre-wrap;">${text}</span>`,
  (text) =>
    `<span style="font-weight:400;font-style:italic;text-decoration:underline;white-space:pre-wrap;">${text}</span>`,
  (text) =>
    `<a href="https://www.google.com/url?q=https://example.org" style="text-decoration:none;"><span style="text-decoration:underline;color:#1155cc">${text}</span></a>`,
];
const webInlines: readonly Inline[] = [
  (text) => `<strong>${text}</strong>`,
  (text) => `<em><u>${text}</u></em>`,
  (text) => `<code>${text}</code>`,
  (text) => `<a href="/path" data-x="1">${text}</a>`,
  (text) => `<font color="red"><big>${text}</big></font>`,
  (text) => `<button>${text}</button>`,
  (text) => `${text}<br>`,
  (text) => text,
];

type Block = (inner: string) => string;

const wordBlocks: readonly Block[] = [
  (inner) => `<p class=MsoNormal>${inner}<o:p></o:p></p>`,
  (inner) => `<h2 style='margin-left:0cm'>${inner}</h2>`,
  (inner) =>
    `<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${inner}</p>`,
  (inner) =>
    `<p class=MsoListParagraph style='mso-list:l1 level3 lfo2'><![if !supportLists]><span style='mso-list:Ignore'>iv.<span>&nbsp;</span></span><![endif]>${inner}</p>`,
  (inner) =>
    `<table class=MsoTableGrid border=1><tr><td><p class=MsoNormal>${inner}</p></td><td></td></tr></table>`,
  () => '<p class=MsoNormal><o:p>&nbsp;</o:p></p>',
];
const docsBlocks: readonly Block[] = [
  (inner) => `<p dir="ltr" style="line-height:1.38;margin-top:0pt;">${inner}</p>`,
  (inner) => `<h1 dir="ltr">${inner}</h1><br />`,
  (inner) =>
    `<ul style="margin-top:0;"><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation">${inner}</p></li><ul><li dir="ltr" aria-level="2"><p role="presentation"></p></li></ul></ul>`,
  (inner) =>
    `<div dir="ltr"><table><colgroup><col /></colgroup><tbody><tr><td><p>${inner}</p></td></tr></tbody></table></div>`,
];
const webBlocks: readonly Block[] = [
  (inner) => `<p>${inner}</p>`,
  (inner) => `<div><div>${inner}</div></div>`,
  (inner) => `<ul><li>${inner}<ol><li><p>${inner.replace(/.*/s, '')}</p></li></ol></li></ul>`,
  (inner) => `<blockquote><p>${inner}</p></blockquote>`,
  (inner) => `<pre><code class="language-ts">${inner}</code></pre>`,
  (inner) => `<section><article><h3>${inner}</h3></article></section>`,
  (inner) => `<dl><dt>${inner}</dt></dl>`,
  (inner) => `<details open><summary>${inner}</summary></details>`,
  (inner) => `<table><tr><th>${inner}</th></tr></table>`,
  (inner) => `${inner}<p>`,
  (inner) => `<li>${inner}</li>`,
  (inner) => `</div></p>${inner}<ul><ul><li></ul>`,
];
const notionBlocks: readonly Block[] = [
  (inner) =>
    `<ul class="to-do-list"><li><div class="checkbox checkbox-off"></div> <span class="to-do-children-unchecked">${inner}</span></li></ul>`,
  (inner) =>
    `<figure class="block-color-gray_background callout" style="white-space:pre-wrap;display:flex"><div style="width:100%">${inner}</div></figure>`,
  (inner) => `<ul class="toggle"><li><details open=""><summary>${inner}</summary></details></li></ul>`,
  (inner) => `<p id="0f8">${inner}</p>`,
];

interface Program {
  readonly wrap: (body: string) => string;
  readonly blocks: readonly Block[];
  readonly inlines: readonly Inline[];
}

const PROGRAMS: readonly Program[] = [
  {
    wrap: (body) =>
      `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15"><!--[if gte mso 9]><xml><w:WordDocument><w:View>attack()</w:View></w:WordDocument></xml><![endif]--><style><!-- /* attack() */ p.MsoNormal {margin:0} --></style></head><body lang=EN-US><!--StartFragment-->${body}<!--EndFragment--></body></html>`,
    blocks: wordBlocks,
    inlines: wordInlines,
  },
  {
    wrap: (body) =>
      `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1a">${body}</b><br class="Apple-interchange-newline">`,
    blocks: docsBlocks,
    inlines: docsInlines,
  },
  {
    wrap: (body) => `<meta charset='utf-8'>${body}<!-- notionvc: 0f8 -->`,
    blocks: notionBlocks,
    inlines: webInlines,
  },
  { wrap: (body) => `<html><body>\n${body}\n</body></html>`, blocks: webBlocks, inlines: webInlines },
  {
    wrap: (body) => body,
    blocks: [...webBlocks, ...wordBlocks, ...docsBlocks],
    inlines: [...docsInlines, ...webInlines],
  },
];

const line = fc.array(fc.tuple(word, fc.nat()), { minLength: 1, maxLength: 4 });

/** Clipboards. A number in each word makes it unique. */
export const clipboards: fc.Arbitrary<Clipboard> = fc
  .tuple(fc.nat(), fc.array(fc.tuple(line, fc.nat()), { minLength: 1, maxLength: 6 }))
  .map(([which, content]) => {
    const { wrap, blocks, inlines } = PROGRAMS[which % PROGRAMS.length]!;
    const words: string[] = [];
    const body = content.map(([parts, kind]) => {
      const block = blocks[kind % blocks.length]!;
      const shown = block('§').includes('§');
      const inner = parts.map(([{ text }, style]) => {
        const unique = `${text}w${(counter += 1)}.`;
        if (shown) words.push(unique);
        const all = [...inlines, ...bad];
        return all[style % all.length]!(escape(unique));
      });
      return block(inner.join(' '));
    });
    return { html: wrap(body.join('\n')), words };
  });
