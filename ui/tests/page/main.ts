import { mount } from 'svelte';
import Page from './Page.svelte';
import './page.css';

const target = document.getElementById('panel');
if (target) mount(Page, { target });
