// A person at a page, who also listens to what the page complains about.

/** Visitor is one page and what can be done there, by names that people read. */
export class Visitor {
	/** Complaints, and requests to anywhere but the server. */
	complaints = [];
	/** Patterns of complaints that this test causes itself. */
	#expected = [];

	constructor(page, origin) {
		this.page = page;
		const complain = (text) => {
			if (!this.#expected.some((pattern) => pattern.test(text))) this.complaints.push(text);
		};
		page.on('console', (m) => {
			if (m.type() === 'error' || m.type() === 'warning') complain(`${m.text()} (${m.location().url})`);
		});
		page.on('pageerror', (e) => complain(String(e)));
		page.on('dialog', (d) => {
			complain(`a dialog opened: ${d.message()}`);
			void d.dismiss();
		});
		page.on('request', (r) => {
			const url = r.url();
			if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url)) complain(`asked for ${url}`);
		});
		this.panel = page.getByRole('region', { name: 'Chat with the agent' });
		this.box = this.panel.getByLabel('Message', { exact: true });
		this.turns = this.panel.getByRole('region', { name: 'Messages' }).locator('li.turn');
		this.lastTurn = this.turns.last();
		this.preview = this.panel.getByRole('region', { name: /^Proposed change/ }).last();
		this.settings = this.panel.getByRole('dialog', { name: 'Settings' });
	}

	/** Says which complaints are part of the test. */
	expect(...patterns) {
		this.#expected.push(...patterns);
		return this;
	}

	/** A button of the panel by its exact words. */
	button(name, within = this.panel) {
		return within.getByRole('button', { name, exact: true });
	}

	/** Waits until the chat can be written in; a narrow page has to be asked for it. */
	async chat() {
		const chat = this.page.getByRole('button', { name: 'Chat', exact: true });
		await chat.waitFor();
		if ((await chat.getAttribute('aria-expanded')) !== 'true') await chat.click();
		await this.box.waitFor();
		return this;
	}

	/** Writes a message and sends it. */
	async say(text) {
		await this.box.fill(text);
		await this.box.press('Enter');
	}

	/** Waits until a turn, by default the last one, has these words. */
	async reads(words, turn = this.lastTurn) {
		await turn.getByText(words).first().waitFor();
	}

	/** Waits until the nth turn, counted from 1, has ended. */
	async rests(count) {
		await this.turns.nth(count - 1).getByRole('button', { name: 'Details' }).waitFor();
	}

	/** What the agent wrote in a turn: its words only. */
	async answer(turn = this.lastTurn) {
		return (await turn.locator('.answer').innerText()).replace(/^Agent\s*/, '').trim();
	}

	/** The words w0 w1 … that a turn shows. */
	async words(turn = this.lastTurn) {
		return (await turn.locator('.answer').innerText()).match(/\bw\d+\b/g) ?? [];
	}

	/** Waits until a preview can be answered. */
	async asked() {
		await this.button('Accept', this.preview).and(this.page.locator(':enabled')).waitFor();
		return this.preview;
	}

	async accept() {
		await this.asked();
		await this.button('Accept', this.preview).click();
	}

	async discard() {
		await this.asked();
		await this.button('Discard', this.preview).click();
	}

	/** Waits until the stage shows a slide whose source has these words. */
	async stageShows(words) {
		await this.page.locator('main').frameLocator('iframe >> nth=-1').getByText(words).first().waitFor();
	}
}
