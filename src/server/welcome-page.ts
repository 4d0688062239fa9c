/** What stands at `/` where the server's console was not built, as when it runs from its sources. It runs no script. */
export const welcomePage = {
  type: 'text/html; charset=utf-8',
  headers: {
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  },
  text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cuelight</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
</style>
</head>
<body>
<main>
<h1>Cuelight</h1>
<p>The server is running, and works events over GraphQL. Its console is not built: run <code>npm run build</code> where the server is, and start it again.</p>
<dl>
<dt><a href="/graphql">/graphql</a></dt>
<dd>The API: over HTTP, server-sent events and WebSocket. In a browser it is GraphiQL, with the documentation of every field.</dd>
<dt><a href="/readyz">/readyz</a></dt>
<dd>Whether it can do its work, and why not.</dd>
<dt>/metrics</dt>
<dd>For Prometheus, with a token.</dd>
<dt><a href="/healthz">/healthz</a></dt>
<dd>Whether the process lives.</dd>
</dl>
<p>Calls carry <code>Authorization: Bearer &lt;token&gt;</code>. The admin token is the one in <code>CUELIGHT_ADMIN_TOKEN</code>, or was printed when the server first started.</p>
</main>
</body>
</html>
`,
}
