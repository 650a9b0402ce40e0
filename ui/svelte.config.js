/** @type {import('@sveltejs/package').Config & import('@sveltejs/vite-plugin-svelte').SvelteConfig} */
export default {
	compilerOptions: { runes: true }
};
