/** HTML and script of the API description page; Swagger UI provides the rest. */

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

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** HTML with relative URLs, so that it works below any prefix. */
export const pageOf = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="openapi/swagger-ui.css">
<link rel="icon" href="openapi/favicon-32x32.png">
</head>
<body>
<form id="caller" class="swagger-ui wrapper">
<p><label>Token <input id="token" type="password" autocomplete="off" size="48"></label>
<button class="btn">Show its operations</button></p>
</form>
<div id="page"></div>
<script src="openapi/swagger-ui-bundle.js"></script>
<script src="openapi/page.js"></script>
</body>
</html>
`;

/**
 * Script of the page. It sends the token with every request, including that for the description, and stores
 * it nowhere. Objects in parameters become brackets, as the API parses them.
 */
export const PAGE_SCRIPT = `'use strict';
const description = new URL('../openapi.json', document.currentScript.src).href;
let token = '';

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

const page = SwaggerUIBundle({
  url: description,
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
  requestInterceptor: sent,
});

document.getElementById('caller').addEventListener('submit', (event) => {
  event.preventDefault();
  token = document.getElementById('token').value.trim();
  page.specActions.download(description);
});
`;
