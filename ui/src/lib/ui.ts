/** The components. Most hosts mount Chat and nothing else. */
export { default as Chat } from './components/Chat.svelte';
export { default as ArtifactView } from './components/ArtifactView.svelte';
export { default as CapabilityPreview } from './components/CapabilityPreview.svelte';
export { default as CharacterRow } from './components/CharacterRow.svelte';
export { default as Composer } from './components/Composer.svelte';
export { default as Markdown } from './components/Markdown.svelte';
export { default as MessageList } from './components/MessageList.svelte';
export { default as SettingsPanel } from './components/SettingsPanel.svelte';
export { default as ThreadList } from './components/ThreadList.svelte';
export { default as ToolCard } from './components/ToolCard.svelte';
export { ChatState } from './state/chat.svelte.js';
export type { Applied, ChatSetup } from './state/setup.js';
export { provideKit, useKit, type Kit } from './state/context.js';
