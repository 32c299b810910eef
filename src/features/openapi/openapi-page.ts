/** HTML, style and script of the API description page; Swagger UI provides the rest. */
import { escapeHtml } from '../../kernel/escape-html.js';

/** Content security policy: no foreign resources, no inline scripts, requests to this server only. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** HTML with relative URLs, so that it works below any prefix. `files` is the path to its files. */
export const pageOf = (title: string, files: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${files}swagger-ui.css">
<link rel="stylesheet" href="${files}page.css">
<link rel="icon" href="${files}favicon-32x32.png">
</head>
<body>
<form id="caller">
<label for="token">Token</label>
<input id="token" type="password" autocomplete="off" placeholder="API token, or the jwt of a sign-in">
<button>Use it</button>
<span id="who" role="status">Operations of the public</span>
</form>
<div id="page"></div>
<script src="${files}swagger-ui-bundle.js"></script>
<script src="${files}page.js"></script>
</body>
</html>
`;

/** Style of the page, in addition to that of Swagger UI. */
export const PAGE_STYLE = [
  'body{margin:0}',
  'html.dark-mode body{background:#1c2022;color:#e4e6e6}',
  '#caller{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}',
  '#caller{padding:.6rem 1.25rem;border-bottom:1px solid #8885;background:#f7f7f7;font:1rem sans-serif}',
  'html.dark-mode #caller{background:#24292c}',
  '#caller input{flex:1 1 14rem;max-width:32rem;min-width:0}',
  '#caller input,#caller button{font:inherit;padding:.4rem .6rem;border:1px solid #8888;border-radius:4px}',
  '#caller input,#caller button{background:transparent;color:inherit}',
  '#caller button{cursor:pointer}',
  '.swagger-ui .info{margin:1.5rem 0}',
  '.swagger-ui .scheme-container,.swagger-ui .try-out,.swagger-ui .response-col_links{display:none}',
  'html.dark-mode .swagger-ui .headers td{color:inherit}',
  '.swagger-ui textarea{min-height:5rem;height:7rem}',
  '.swagger-ui .body-param__text{height:14rem}',
  '.swagger-ui .error-response td{padding:.25rem 0}',
  '.swagger-ui .error-response button{border:0;padding:0;background:none;color:inherit;font:inherit}',
  '.swagger-ui .error-response button{text-decoration:underline dotted;cursor:pointer}',
  '@media(max-width:40rem){.swagger-ui .wrapper{padding:0 .75rem}',
  '.swagger-ui .opblock .opblock-summary-description{flex-basis:100%;padding:.25rem .6rem}',
  '.swagger-ui table.parameters,.swagger-ui .parameters tbody{display:block;width:auto;min-width:0}',
  '.swagger-ui .parameters tr,.swagger-ui .parameters td{display:block;width:auto;min-width:0}',
  '.swagger-ui .parameters thead{display:none}',
  '.swagger-ui select,.swagger-ui textarea,.swagger-ui input[type=text]{max-width:100%;min-width:0}',
  '.swagger-ui .responses-inner{overflow-x:auto}}',
].join('\n');

/**
 * Script of the page. It sends the token with every request, including that for the description, and stores
 * it nowhere. Objects in parameters become brackets, as the API parses them. Errors are one line each.
 */
export const PAGE_SCRIPT = `'use strict';
const description = new URL('../openapi.json', document.currentScript.src).href;
let token = '';

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text;
  }
}

function bracketed(name, value) {
  if (typeof value !== 'object' || value === null) return [[name, String(value ?? '')]];
  return Object.entries(value).flatMap(([key, nested]) => bracketed(name + '[' + key + ']', nested));
}

function sent(request) {
  const url = new URL(request.url, description);
  const parameters = [...url.searchParams].flatMap(([name, text]) => bracketed(name, parsed(text)));
  url.search = new URLSearchParams(parameters).toString();
  request.url = url.href;
  if (token !== '' && url.origin === location.origin) request.headers.Authorization = 'Bearer ' + token;
  return request;
}

const nothing = () => () => null;

function shortErrors(Original, { React }) {
  return function Response(props) {
    const [isOpen, setOpen] = React.useState(false);
    if (isOpen || !/^[45]/.test(props.code)) return React.createElement(Original, props);
    const text = String(props.response?.get?.('description') ?? '');
    const button = React.createElement('button', { type: 'button', onClick: () => setOpen(true) }, text);
    return React.createElement(
      'tr',
      { className: 'error-response' },
      React.createElement('td', { className: 'response-col_status' }, props.code),
      React.createElement('td', { colSpan: 2 }, button),
    );
  };
}

const page = SwaggerUIBundle({
  url: description,
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
  filter: true,
  tryItOutEnabled: true,
  requestInterceptor: sent,
  plugins: [
    () => ({
      wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing, response: shortErrors },
    }),
  ],
});

document.getElementById('caller').addEventListener('submit', (event) => {
  event.preventDefault();
  token = document.getElementById('token').value.trim();
  const who = token === '' ? 'the public' : 'this token';
  document.getElementById('who').textContent = 'Operations of ' + who;
  page.specActions.download(description);
});
`;
